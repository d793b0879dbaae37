// The files that a job left: logs, dumps of flight recorders and settings, told apart by their content.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "ringside/autopsy/diagnosis.h"
#include "ringside/autopsy/log.h"
#include "ringside/autopsy/settings.h"
#include "ringside/flight/dump.h"

namespace ringside::inline logs {

struct CaseFiles {
  Log log;
  std::vector<std::string> logs;      // paths, in the order of Log::files; "-" for `in`
  std::vector<FlightDump> dumps;      // by rank
  JobSettings settings;               // of files that are no log
  std::vector<std::string> not_read;  // "rank_3: pickle: it is cut off at byte 12"
};

// Files, folders (every file in them, not deeper) and "-" for `in`. A dump, or a file of settings,
// that cannot be read is left out and told; InputError where nothing could be read, or a path is not there.
// on_bytes: of all files so far.
CaseFiles read_case(const std::vector<std::string>& paths, std::istream& in, const OnBytes& on_bytes = {});
// Of all of it, behind the settings of `options`; by the released models of assets/models where no model is
// named.
Diagnosis diagnose(const CaseFiles& files, AutopsyOptions options);
// Whether read_case takes it for settings.
bool is_settings_file(const std::string& file);

}  // namespace ringside::inline logs
