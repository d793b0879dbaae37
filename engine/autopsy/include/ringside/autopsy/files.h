// The files that a job left: logs, and dumps of flight recorders, told apart by how they begin.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "ringside/autopsy/log.h"
#include "ringside/flight/dump.h"

namespace ringside {

struct CaseFiles {
  Log log;
  std::vector<FlightDump> dumps;      // by rank
  std::vector<std::string> not_read;  // "rank_3: pickle: it is cut off at byte 12"
};

// Files, folders (every file in them, not deeper) and "-" for `in`. A dump that cannot be read is left out
// and told; InputError where nothing could be read, or a path is not there.
CaseFiles read_case(const std::vector<std::string>& paths, std::istream& in);

}  // namespace ringside
