// Blocking TCP sockets on the loopback, for tests and benchmarks of fault hosts.
#ifndef TARGETS_HOST_TESTING_SOCKETS_H_
#define TARGETS_HOST_TESTING_SOCKETS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "faults/core/mutex.h"
#include "faults/core/unique_fd.h"

namespace squall::testing {

UniqueFd Listen(int backlog = 128);  // 127.0.0.1, a port of the kernel's choice
int PortOf(int listener);
std::string AddressOf(int listener);
UniqueFd Dial(int port);  // aborts on failure
void Write(int fd, const std::string& bytes);
// Exactly that many bytes; fewer if the stream ended, `error` (may be null) says by which errno (0: end of file).
std::string Read(int fd, size_t bytes, int* error = nullptr);
// Until the end of the stream.
std::string ReadAll(int fd, int* error = nullptr);
void ResetOnClose(int fd);
int64_t Now();  // CLOCK_BOOTTIME, ns
// `bytes` that look random and are the same each time.
std::string Pattern(size_t bytes, uint64_t seed = 1);

// Runs `serve` on a thread of its own for each connection. Ends its connections on destruction.
class Server {
 public:
  explicit Server(std::function<void(int fd)> serve);
  ~Server();
  int port() const { return port_; }
  std::string address() const;
  int accepted();

 private:
  std::function<void(int)> serve_;
  UniqueFd listener_;
  int port_;
  Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<int> open_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
  int accepted_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread accepter_;
};

void Echo(int fd);  // a Server's serve: sends back what comes until the end, then ends too

}  // namespace squall::testing

#endif  // TARGETS_HOST_TESTING_SOCKETS_H_
