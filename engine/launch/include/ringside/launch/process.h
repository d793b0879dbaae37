// A process, with its three standard streams in our hands, in a group of its own. Linux.
//
// It does not outlive us: the system kills it when the thread that started it ends, also where this process
// is killed (PR_SET_PDEATHSIG).
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ringside::inline launch {

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
  int release() { return std::exchange(number_, -1); }  // whoever takes it closes it
  void close() {
    if (open()) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

// What a process has of ours, or instead.
struct ProcessSetting {
  std::map<std::string, std::string> environment = {};  // beside ours; a variable that is "" is taken out
  bool terminal = false;  // it has our streams and our group: Ctrl-C reaches it too
  int descriptor = -1;    // of ours, which is its number 3
};
inline constexpr int kGivenDescriptor = 3;

class Process {
 public:
  // MissingError naming the program where it cannot be started.
  explicit Process(const std::vector<std::string>& command, const ProcessSetting& setting = {});
  ~Process() { end(); }
  Process& operator=(Process&&) = delete;

  // input is a socket: a write to a process that has gone is an error there, and no signal. The other two do
  // not block. Closed with setting.terminal.
  Descriptor input, output, errors;

  pid_t id() const { return id_; }
  // How it ended, as waitpid() says it; none while it runs. What it started itself is killed then.
  std::optional<int> ended();
  bool stands_still() const;  // a signal has stopped it
  void signal(int number);    // to its group, or where it has ours to itself
  void ask_to_end();          // SIGTERM
  void end();                 // the same, and SIGKILL where that was not enough
  void kill();                // SIGKILL to its group; it is gone when this returns

 private:
  void send(int number) const;

  const bool own_group_;
  pid_t id_ = -1;
  std::optional<int> status_;
};

}  // namespace ringside::inline launch
