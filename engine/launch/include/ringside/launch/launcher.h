// Processes that belong together: started, watched, and ended with whoever started them.
//
//   Launcher launcher([](size_t child, const std::string& line) { ... });    // each line of their output
//   const size_t server = launcher.start("server 1", {program, "ps", "node", "--role", "server"});
//   launcher.watch(end_ns, [&] { return all_are_ready; });
//   launcher.kill(server);
//
// Whoever ends without having been let go is an error, with the last lines that it wrote to stderr. No orphan
// is left: each process is a group of its own that ends with the Launcher, and with this process, also where
// that one is killed. Only processes that were started here are ever signalled, by their id. Linux.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ringside/base/error.h"
#include "ringside/launch/process.h"

namespace ringside::inline launch {

// A process ended that should not have; the message names it and says how.
struct ProcessLostError : Error {
  ProcessLostError(int code_of_it, const std::string& message)
      : Error(ExitCode::kPeerLost, message), exit_code(code_of_it) {}
  int exit_code;  // 128 + the signal that ended it
};

// Belongs to one thread: the system ends the processes when the thread that started them ends.
class Launcher {
 public:
  using Heard = std::function<void(size_t child, const std::string& line)>;

  explicit Launcher(Heard heard = {});  // null: their output is read and dropped
  ~Launcher();                          // end_all()
  Launcher& operator=(Launcher&&) = delete;

  // `role` is what errors call it. Returns its place, counted from 0. MissingError: it cannot be started.
  size_t start(const std::string& role, const std::vector<std::string>& command,
               const ProcessSetting& setting = {});

  // Takes what they write, until `done` or the time (base/clock.h) has come; whether it is done. Returns at
  // once where the time is over. ProcessLostError.
  bool watch(int64_t until_ns, const std::function<bool()>& done);

  // A line for its stdin; it may read it or not.
  void say(size_t child, const std::string& line);
  void let_go(size_t child);       // it may end from now on
  void kill(size_t child);         // SIGKILL, at once; the process is gone when this returns
  void stand_still(size_t child);  // SIGSTOP: it is there, and does nothing until go_on()
  void go_on(size_t child);
  void signal(size_t child, int number);
  bool runs(size_t child) const;
  bool stands_still(size_t child) const;  // a signal has stopped it
  int exit_code(size_t child) const;      // of one that runs no more; 128 + the signal that ended it
  int64_t process_id(size_t child) const;
  std::string last_words(size_t child) const;  // the end of its stderr
  void end_all();                              // asks all to end, and kills those that do not

 private:
  struct Child;
  void take_output(Child& child, size_t place);
  void note_end(Child& child, size_t place);

  Heard heard_;
  std::vector<std::unique_ptr<Child>> children_;
};

}  // namespace ringside::inline launch
