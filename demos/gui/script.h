// A script: what a person would do, one command a line. `#` starts a
// comment, names and texts with blanks stand in double quotes.
//
//   click NAME    double_click NAME    hover NAME    wheel NAME N       in the middle of what is seen of it
//   drag NAME DX DY    drag NAME to NAME2            in points, before the scale
//   key Ctrl+C    type TEXT
//   wait POINTER OP VALUE SECONDS    wait item NAME SECONDS    wait no_item NAME SECONDS
//                                                    fails SECONDS after /run of the state last changed
//   expect ...                                       the same, without the seconds
//   frames N    sleep S    quit
//   screenshot FILE    dump FILE (the state as JSON)    items FILE (names and rectangles)
//   size W H    scale X                              of the window; of the display
//   anything else: the room's own commands (theme light, step reveal, ...)
//
// POINTER is a JSON pointer into Room::state() (/run/finished); OP is == != > >= < <= contains; VALUE
// is JSON, or a text without quotes.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "input_queue.h"
#include "ringside/base/error.h"

namespace ringside::gui {

struct ScriptLine {
  int number = 0;
  std::string command;             // "" is never kept
  std::vector<std::string> words;  // behind it
  std::string text;                // the whole line, without its comment
};

// UsageError "FILE:LINE: ..." for a line that cannot be read.
std::vector<ScriptLine> parse_script(std::istream& in, const std::string& name);
std::vector<ScriptLine> read_script(const std::filesystem::path& file);

// "" where it holds, else what there is instead. UsageError for an operator that is none.
std::string unmet(const nlohmann::json& state, const std::string& pointer, const std::string& op,
                  const std::string& value);

// An expectation that was not met, a name that does not exist: exit 4.
struct ScriptError : Error {
  explicit ScriptError(const std::string& message) : Error(ExitCode::kCheckFailed, message) {}
};

// What a script acts on.
struct ScriptStage {
  std::function<nlohmann::json(const std::string& part)> state;  // "": all
  std::function<void(const std::string&)> command;
  std::function<void(const std::filesystem::path&)> screenshot;
  std::function<void(int, int)> resize;
  std::function<void(float)> scale;
};

class ScriptPlayer {
 public:
  ScriptPlayer(std::vector<ScriptLine> lines, std::string name, ScriptStage stage);

  // Before each frame: one small action. `now` in seconds. ScriptError where something is not as
  // the script says.
  void before_frame(double now, InputQueue& input);
  bool finished() const { return next_ >= lines_.size() && actions_.empty(); }
  bool waiting() const { return waiting_; }  // for something else than frames: no hurry
  int line() const { return current_.number; }

 private:
  using Action = std::function<bool(double now, InputQueue& input)>;  // false: again in the next frame

  void start(double now);
  bool start_input();
  void then(std::function<void(InputQueue&)> act);
  void frames(int count);
  void to_item(const std::string& name);
  void press_and_release();
  void drag();
  void sleep_until(double end);
  void wait_for(double now, double seconds, std::function<std::string()> fault);
  std::function<std::string()> condition(size_t words) const;
  [[noreturn]] void fail(const std::string& what) const;
  double number(size_t word) const;

  std::vector<ScriptLine> lines_;
  std::string name_;
  ScriptStage stage_;
  size_t next_ = 0;
  ScriptLine current_;
  std::deque<Action> actions_;
  ImVec2 mouse_{};
  bool waiting_ = false;
};

}  // namespace ringside::gui
