// Frames on a TCP stream: four bytes of length, big-endian, then that many bytes of a skype.v1.Frame.
//
//   FrameReader reader;
//   reader.Append(bytes_from_the_socket);
//   v1::Frame frame;
//   for (;;) {
//     absl::StatusOr<bool> got = reader.Next(&frame);
//     if (!got.ok()) close it;          // what came is no frame: nothing after it can be trusted
//     if (!*got) break;                 // needs more bytes
//   }
#ifndef TARGETS_SKYPE_FRAME_H_
#define TARGETS_SKYPE_FRAME_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "targets/skype/skype.pb.h"

namespace skype {

inline constexpr size_t kMaxFrame = 1024;  // bytes after the length; ours need about 20

// The bytes to send. The frame must be smaller than kMaxFrame.
std::string EncodeFrame(const v1::Frame& frame);

class FrameReader {
 public:
  void Append(std::string_view bytes) { buffer_.append(bytes); }
  // True: *frame is the next one, with a kind set. False: incomplete so far. InvalidArgument: oversize, empty,
  // unparsable or of no known kind; the reader stays in that state.
  absl::StatusOr<bool> Next(v1::Frame* frame);
  bool empty() const { return buffer_.empty(); }

 private:
  std::string buffer_;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_FRAME_H_
