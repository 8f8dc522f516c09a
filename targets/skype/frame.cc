#include "targets/skype/frame.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace skype {

std::string EncodeFrame(const v1::Frame& frame) {
  std::string bytes(4, '\0');
  frame.AppendToString(&bytes);
  const uint32_t size = static_cast<uint32_t>(bytes.size() - 4);
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(size >> (24 - 8 * i));
  return bytes;
}

absl::StatusOr<bool> FrameReader::Next(v1::Frame* frame) {
  if (buffer_.size() < 4) return false;
  uint32_t size = 0;
  for (int i = 0; i < 4; ++i) size = (size << 8) | static_cast<uint8_t>(buffer_[i]);
  if (size == 0 || size > kMaxFrame) return absl::InvalidArgumentError(absl::StrCat("frame of ", size, " bytes"));
  if (buffer_.size() < 4 + size) return false;
  if (!frame->ParseFromArray(buffer_.data() + 4, static_cast<int>(size))) {
    return absl::InvalidArgumentError("not a frame");
  }
  if (frame->kind_case() == v1::Frame::KIND_NOT_SET) return absl::InvalidArgumentError("frame of no known kind");
  buffer_.erase(0, 4 + size);
  return true;
}

}  // namespace skype
