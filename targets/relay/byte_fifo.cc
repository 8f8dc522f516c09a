#include "targets/relay/byte_fifo.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace squall {
namespace {
constexpr size_t kBlock = BlockPool::kBlockBytes;
}  // namespace

BlockPool::~BlockPool() {
  for (char* block : kept_) munmap(block, kBlock);
}

char* BlockPool::Take() {
  if (!kept_.empty()) {
    char* block = kept_.back();
    kept_.pop_back();
    idle_ = std::min(idle_, kept_.size());
    return block;
  }
  void* block = mmap(nullptr, kBlock, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) {
    std::perror("no memory for a block of the relay");
    std::abort();
  }
  return static_cast<char*>(block);
}

void BlockPool::Give(char* block) {
  if (kept_.size() < kKept) {
    kept_.push_back(block);
  } else {
    munmap(block, kBlock);
  }
}

void BlockPool::Trim() {
  for (; idle_ > 0; --idle_) {
    munmap(kept_.back(), kBlock);
    kept_.pop_back();
  }
  idle_ = kept_.size();
}

int ByteFifo::RoomFor(size_t limit, iovec* spans, int most) {
  int count = 0;
  size_t position = begin_ + size_;  // of the first free byte, counted from blocks_[first_]
  while (limit > 0 && count < most) {
    const size_t index = first_ + position / kBlock;
    if (index == blocks_.size()) blocks_.push_back(pool_->Take());
    const size_t offset = position % kBlock;
    const size_t length = std::min(limit, kBlock - offset);
    spans[count++] = {blocks_[index] + offset, length};
    position += length;
    limit -= length;
  }
  return count;
}

void ByteFifo::Commit(size_t bytes) {
  size_ += bytes;
  DropSpare();
}

void ByteFifo::Append(const char* data, size_t bytes) {
  while (bytes > 0) {
    iovec span;
    RoomFor(std::min(bytes, kBlock), &span, 1);
    const size_t length = std::min(bytes, span.iov_len);
    std::memcpy(span.iov_base, data, length);
    Commit(length);
    data += length;
    bytes -= length;
  }
}

int ByteFifo::Front(uint64_t limit, iovec* spans) const {
  limit = std::min(limit, size_);
  int count = 0;
  size_t position = begin_;
  while (limit > 0 && count < kSpans) {
    const size_t offset = position % kBlock;
    const size_t length = std::min<uint64_t>(limit, kBlock - offset);
    spans[count++] = {blocks_[first_ + position / kBlock] + offset, length};
    position += length;
    limit -= length;
  }
  return count;
}

void ByteFifo::Consume(uint64_t bytes) {
  bytes = std::min(bytes, size_);
  size_ -= bytes;
  begin_ += bytes;
  while (begin_ >= kBlock) {
    pool_->Give(blocks_[first_++]);
    begin_ -= kBlock;
  }
  if (size_ == 0) {
    Clear();
  } else if (first_ > 64 && first_ * 2 > blocks_.size()) {
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

void ByteFifo::Clear() {
  for (size_t i = first_; i < blocks_.size(); ++i) pool_->Give(blocks_[i]);
  blocks_.clear();
  first_ = 0;
  begin_ = 0;
  size_ = 0;
}

void ByteFifo::DropSpare() {
  const size_t used = size_ == 0 ? first_ : first_ + (begin_ + size_ + kBlock - 1) / kBlock;
  while (blocks_.size() > used) {
    pool_->Give(blocks_.back());
    blocks_.pop_back();
  }
  if (size_ == 0) Clear();
}

}  // namespace squall
