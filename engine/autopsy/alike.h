// Events that say the same again: eight of one kind, rank and text are kept.
#pragma once

#include <map>
#include <string>

#include "ringside/autopsy/log.h"

namespace ringside::inline logs {

class Alike {
 public:
  bool takes(const LogEvent& event);  // counts it

 private:
  std::map<std::string, int64_t> counts_;
};

}  // namespace ringside::inline logs
