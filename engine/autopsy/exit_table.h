// Tables in which a launcher says over several lines how a rank ended: torchrun's, Open MPI's, MPICH's; and
// Open MPI's errors, which name the rank in a line of their own.
#pragma once

#include <optional>
#include <string_view>

#include "ringside/autopsy/event.h"

namespace ringside::inline logs {

class ExitTable {
 public:
  // Whether the line is one of a table; what it says is in `made`, where it says something.
  bool takes(std::string_view line, std::optional<LogEvent>& made);
  void end_file() { rank_ = -1; }

 private:
  bool names_rank(std::string_view text);
  int rank_ = -1, local_ = -1;
};

}  // namespace ringside::inline logs
