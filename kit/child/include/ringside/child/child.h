// A program that runs beside a lesson and tells it what happens: each line of its output is one JSON object.
// It ends with the run: when its Child is destroyed, when the run is cancelled, and when this process dies.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/run_control.h"

namespace ringside::inline kit {

struct ChildLimits {
  size_t line_bytes = 64 << 10;   // of one event
  size_t total_bytes = 16 << 20;  // of all events
  double seconds = 30;            // that the lesson waits for it in all; a pause is not among them
};

// It ended with another exit code than 0, or by a signal; the last lines of its stderr are the report.
struct ChildFailed : Error {
  explicit ChildFailed(const std::string& message) : Error(ExitCode::kInternal, message) {}
};

// Belongs to one thread: the system ends the program when the thread that started it ends.
class Child {
 public:
  using Read = std::function<void(const JsonObject&)>;

  // command: the program, as a path or a name in PATH, and its arguments. MissingError where it cannot be
  // started. The control must outlive the child.
  Child(const std::vector<std::string>& command, RunControl& control, ChildLimits limits = {});
  ~Child();  // ends it: asked first, then killed, with whatever it started itself

  // One line for its stdin. Ignored where it reads no more: next() then says how it ended.
  void send(std::string_view line);
  void end_input();

  // Waits for one event. False: it has ended well and there is none. Throws CancelledError, ChildFailed,
  // InputError for what is no event, too long or too much, and an Error of kTimeout.
  bool next(const Read& read);
  void each(const Read& read);  // all of them
  // Sends the line, and reads the events up to the one that has "done".
  void ask(std::string_view line, const Read& read);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringside::inline kit
