// The training's own lines of progress: which step was the last that a rank wrote.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ringside/autopsy/event.h"

namespace ringside::inline logs {

std::span<const std::string_view> words_of_step();  // one of them is in each such line

// form, step and of, where it is one.
std::optional<LoggedStep> step_in(std::string_view line);

class Steps {
 public:
  // A line with one of the words; rank -1: it does not say it.
  void look(std::string_view line, int rank, int file, int64_t number);
  std::vector<LoggedStep> take();  // the last of each rank and form, by rank

 private:
  std::unordered_map<int64_t, LoggedStep> last_;
};

}  // namespace ringside::inline logs
