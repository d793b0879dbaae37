// A process in a group of its own, with its three standard streams in our hands. Linux.
//
// It does not outlive us: the system kills it when the thread that started it ends, also where this process
// is killed (PR_SET_PDEATHSIG).
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ringside {

// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  void close() {
    if (open()) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

class Process {
 public:
  // MissingError naming the program where it cannot be started.
  explicit Process(const std::vector<std::string>& command);
  ~Process() { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // input is a socket: a write to a process that has gone is an error there, and no signal. The other two do
  // not block.
  Descriptor input, output, errors;

  pid_t id() const { return id_; }
  // How it ended, as waitpid() says it; none while it runs. What it started itself is killed then.
  std::optional<int> ended();
  void signal(int number);  // to its group
  void ask_to_end();        // SIGTERM
  void end();               // the same, and SIGKILL where that was not enough
  void kill();              // SIGKILL to its group; it is gone when this returns

 private:
  pid_t id_ = -1;
  std::optional<int> status_;
};

}  // namespace ringside
