// One line at the end of a terminal's text: a prompt, what is being typed behind it, and a word on what goes
// on meanwhile. It can be drawn again at any time without disturbing who types.
#pragma once

#include <chrono>
#include <ostream>
#include <string>

#include "ringside/base/clock.h"

namespace ringside {

// stdin and stdout are terminals, and not dumb ones: only then is anybody asked.
bool can_ask();

// While one lives, the terminal neither echoes nor edits: this class does. Keys are read as they come. There
// is one at a time.
class PromptLine {
 public:
  explicit PromptLine(std::ostream& out);
  ~PromptLine();
  PromptLine& operator=(PromptLine&&) = delete;

  // `meanwhile` is left out where the line would be wider than the terminal.
  void draw(const std::string& prompt, const std::string& meanwhile = "");
  enum class Came { kNothing, kLine, kEnd };
  Came wait(std::chrono::milliseconds
                at_most);  // for the end of a line, or of the input; returns early on a signal
  std::string take();      // the line that came; the next one begins empty
  void leave();            // what is typed stays as it stands, the cursor goes to the next line
  void clear();            // the line is gone
  bool blank() const { return typed_.empty(); }  // nothing is typed yet
  TimePoint last_key() const { return last_key_; }  // or since when it is there

 private:
  Came read_pending();
  void edit(char byte);

  std::ostream& out_;
  TimePoint last_key_ = SteadyClock::now();
  std::string pending_, typed_, line_, shown_;
  bool in_escape_ = false, ended_ = false;
};

// Gives the terminal back as it was, where a PromptLine has it. Safe in a signal's handler.
void give_terminal_back();

}  // namespace ringside
