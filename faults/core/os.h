// The few system calls that guardian, agent and file writers make, as an interface, and a twin that fails or dies at
// the Nth of them. A test raises N until a whole run passes: then every one of the calls has failed once.
//
//   for (uint64_t n = 1;; ++n) {
//     FailingOs os(RealOs(), n, ENOSPC);
//     ... do the work through &os; whatever the outcome, the invariants must hold ...
//     if (!os.tripped()) break;
//   }
#ifndef FAULTS_CORE_OS_H_
#define FAULTS_CORE_OS_H_

#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace squall {

// Each method is its system call: -1 and errno on failure. Descriptors come close-on-exec.
class Os {
 public:
  virtual ~Os() = default;
  // Files.
  virtual int Open(const char* path, int flags, mode_t mode) = 0;
  virtual ssize_t Write(int fd, const void* bytes, size_t size) = 0;
  virtual int Fsync(int fd) = 0;
  virtual int Rename(const char* from, const char* to) = 0;
  // Channels.
  virtual int SocketPair(int type, int ends[2]) = 0;  // AF_UNIX
  virtual int Listen(int fd, int backlog) = 0;
  // Processes. Only a single-threaded process may fork: parent-death signals belong to the forking thread.
  virtual pid_t Fork(int* pidfd) = 0;  // as fork; in the parent also the child's pidfd
  virtual int PidfdOpen(pid_t pid) = 0;
  virtual int SendSignal(int pidfd, int signo) = 0;
  virtual pid_t Wait(pid_t pid, int* status, int options, rusage* usage) = 0;
};

// The calls themselves. Thread-safe, lives for ever.
Os* RealOs();

// Passes everything on to `inner` but the Nth call (1 = first): that one sets `error` and returns -1 without being
// made, or, with kDie, the process kills itself with SIGKILL before it. In a forked child the count goes on from the
// parent's. Not thread-safe.
class FailingOs : public Os {
 public:
  static constexpr int kDie = -1;

  FailingOs(Os* inner, uint64_t nth, int error) : inner_(inner), nth_(nth), error_(error) {}
  bool tripped() const { return calls_ >= nth_; }
  uint64_t calls() const { return calls_; }

  int Open(const char* path, int flags, mode_t mode) override;
  ssize_t Write(int fd, const void* bytes, size_t size) override;
  int Fsync(int fd) override;
  int Rename(const char* from, const char* to) override;
  int SocketPair(int type, int ends[2]) override;
  int Listen(int fd, int backlog) override;
  pid_t Fork(int* pidfd) override;
  int PidfdOpen(pid_t pid) override;
  int SendSignal(int pidfd, int signo) override;
  pid_t Wait(pid_t pid, int* status, int options, rusage* usage) override;

 private:
  bool Trips();

  Os* const inner_;
  const uint64_t nth_;
  const int error_;
  uint64_t calls_ = 0;
};

}  // namespace squall

#endif  // FAULTS_CORE_OS_H_
