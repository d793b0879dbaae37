// What `--trace FILE` is written as, by its name.
#pragma once

#include <filesystem>
#include <string>

#include "ringside/trace/files.h"

namespace ringside {

TraceFormat trace_format(const std::string& file);  // UsageError for another ending

// What can be known before a run, which takes its time. InputError where that file cannot be written.
void check_writable(const std::filesystem::path& file);
void check_trace_file(const std::string& file);  // its ending too

}  // namespace ringside
