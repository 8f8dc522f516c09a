#include "faults/core/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace squall {
namespace {

class KernelOs : public Os {
 public:
  int Open(const char* path, int flags, mode_t mode) override { return open(path, flags | O_CLOEXEC, mode); }
  ssize_t Write(int fd, const void* bytes, size_t size) override { return write(fd, bytes, size); }
  int Fsync(int fd) override { return fsync(fd); }
  int Rename(const char* from, const char* to) override { return rename(from, to); }
  int SocketPair(int type, int ends[2]) override { return socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends); }
  int Listen(int fd, int backlog) override { return listen(fd, backlog); }

  // Not clone3: container profiles answer ENOSYS to it. The child stays a zombie until we reap it, so its number cannot
  // be another's before it has a pidfd.
  pid_t Fork(int* pidfd) override {
    const pid_t pid = fork();
    if (pid <= 0) return pid;
    *pidfd = PidfdOpen(pid);
    if (*pidfd >= 0) return pid;
    const int error = errno;
    kill(pid, SIGKILL);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    errno = error;
    return -1;
  }

  int PidfdOpen(pid_t pid) override { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }
  int SendSignal(int pidfd, int signo) override {
    return static_cast<int>(syscall(SYS_pidfd_send_signal, pidfd, signo, nullptr, 0));
  }
  pid_t Wait(pid_t pid, int* status, int options, rusage* usage) override { return wait4(pid, status, options, usage); }
};

}  // namespace

Os* RealOs() {
  static KernelOs os;
  return &os;
}

bool FailingOs::Trips() {
  if (++calls_ != nth_) return false;
  if (error_ == kDie) raise(SIGKILL);
  errno = error_;
  return true;
}

int FailingOs::Open(const char* path, int flags, mode_t mode) { return Trips() ? -1 : inner_->Open(path, flags, mode); }
ssize_t FailingOs::Write(int fd, const void* bytes, size_t size) {
  return Trips() ? -1 : inner_->Write(fd, bytes, size);
}
int FailingOs::Fsync(int fd) { return Trips() ? -1 : inner_->Fsync(fd); }
int FailingOs::Rename(const char* from, const char* to) { return Trips() ? -1 : inner_->Rename(from, to); }
int FailingOs::SocketPair(int type, int ends[2]) { return Trips() ? -1 : inner_->SocketPair(type, ends); }
int FailingOs::Listen(int fd, int backlog) { return Trips() ? -1 : inner_->Listen(fd, backlog); }
pid_t FailingOs::Fork(int* pidfd) { return Trips() ? -1 : inner_->Fork(pidfd); }
int FailingOs::PidfdOpen(pid_t pid) { return Trips() ? -1 : inner_->PidfdOpen(pid); }
int FailingOs::SendSignal(int pidfd, int signo) { return Trips() ? -1 : inner_->SendSignal(pidfd, signo); }
pid_t FailingOs::Wait(pid_t pid, int* status, int options, rusage* usage) {
  return Trips() ? -1 : inner_->Wait(pid, status, options, usage);
}

}  // namespace squall
