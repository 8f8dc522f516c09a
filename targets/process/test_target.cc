// A target for tests: `test_target WHAT [ARGUMENT]`.
//   serve PORT   listens, says "serving", lives until it is told to end; TERM makes it say "bye" and exit with 0
//   deaf         hears no TERM; says "deaf"
//   exit CODE    says what it does and does it
//   burst LINES  writes that many lines, then exits with 0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace {

void Say(const std::string& line) { (void)!write(STDOUT_FILENO, (line + "\n").c_str(), line.size() + 1); }

[[noreturn]] void Stay() {
  for (;;) pause();
}

void Serve(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 || listen(fd, 16) != 0) {
    perror("cannot listen");
    exit(1);
  }
  signal(SIGTERM, [](int) {
    (void)!write(STDOUT_FILENO, "bye", 3);  // no newline
    _exit(0);
  });
  Say("serving");
  Stay();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  if (what == "serve") Serve(number);
  if (what == "deaf") {
    signal(SIGTERM, SIG_IGN);
    Say("deaf");
    Stay();
  }
  if (what == "burst") {
    for (int i = 0; i < number; ++i) printf("line %d\n", i);
    return 0;
  }
  Say("exiting with " + std::to_string(number));
  return number;
}
