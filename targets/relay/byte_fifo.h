// Bytes in order, in blocks that are there only while they hold something.
//
//   BlockPool pool;
//   ByteFifo fifo(&pool);
//   iovec spans[ByteFifo::kSpans];
//   int n = fifo.Room(256 * 1024, spans);     // where to read to
//   fifo.Commit(readv(fd, spans, n));
//   n = fifo.Front(limit, spans);             // what to write
//   fifo.Consume(writev(fd, spans, n));
#ifndef TARGETS_RELAY_BYTE_FIFO_H_
#define TARGETS_RELAY_BYTE_FIFO_H_

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace squall {

// Hands out blocks of one size; keeps those given back for reuse until Trim finds them idle. One thread.
class BlockPool {
 public:
  static constexpr size_t kBlockBytes = 128 * 1024;
  static constexpr size_t kKept = 1024;  // 128 MiB; more go back to the kernel at once

  BlockPool() = default;
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool();

  char* Take();  // never null: a machine without memory ends the process
  void Give(char* block);
  // Gives the kernel the blocks that nobody needed since the last call.
  void Trim();
  size_t kept() const { return kept_.size(); }

 private:
  std::vector<char*> kept_;
  size_t idle_ = 0;  // the fewest that were kept since the last Trim
};

// One thread. The pool must outlive it.
class ByteFifo {
 public:
  static constexpr int kSpans = 16;

  explicit ByteFifo(BlockPool* pool) : pool_(pool) {}
  ByteFifo(const ByteFifo&) = delete;
  ByteFifo& operator=(const ByteFifo&) = delete;
  ~ByteFifo() { Clear(); }

  uint64_t size() const { return size_; }
  // Places for the next up to `limit` bytes, at most kSpans of them; valid until the next call.
  int Room(size_t limit, iovec* spans) { return RoomFor(limit, spans, kSpans); }
  void Commit(size_t bytes);  // that many of the last Room were filled
  void Append(const char* data, size_t bytes);
  // The first up to `limit` bytes, in at most kSpans places.
  int Front(uint64_t limit, iovec* spans) const;
  void Consume(uint64_t bytes);
  void Clear();

 private:
  int RoomFor(size_t limit, iovec* spans, int most);
  void DropSpare();

  BlockPool* const pool_;
  std::vector<char*> blocks_;  // may end in blocks that hold nothing yet, between Room and Commit
  size_t first_ = 0;           // blocks_[0, first_) were given back
  size_t begin_ = 0;           // offset of the first byte in blocks_[first_]
  uint64_t size_ = 0;
};

}  // namespace squall

#endif  // TARGETS_RELAY_BYTE_FIFO_H_
