// One attempt to reach a supernode, as cheap as the kernel allows: a storm is tens of thousands of them per second.
#ifndef TARGETS_SKYPE_DIAL_H_
#define TARGETS_SKYPE_DIAL_H_

#include <netinet/in.h>

#include <string_view>

namespace skype {

struct Dialed {
  enum State {
    kNotMade,     // no socket: connect(2) was not called
    kRefused,     // known at once on loopback
    kConnecting,  // wait for EPOLLOUT, then send the greeting
    kSent,        // connected, the greeting is on its way
  };
  State state = kNotMade;
  int fd = -1;  // set for the last two; the caller owns it
};

// Makes one attempt after the other and keeps the socket of a refused one for the next: that saves a third of the CPU.
class Dialer {
 public:
  Dialer() = default;
  ~Dialer();
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;
  // Non-blocking: connect(2), then sends `greeting` if that has worked by now.
  Dialed Dial(const sockaddr_in& to, std::string_view greeting);

 private:
  int spare_ = -1;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_DIAL_H_
