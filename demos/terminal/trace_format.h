// `--trace FILE`: what it is written as, by its name, and the saving.
#pragma once

#include <filesystem>
#include <string>

#include "ringside/base/error.h"
#include "ringside/trace/files.h"

namespace ringside {

TraceFormat trace_format(const std::string& file);  // UsageError for another ending

// What can be known before a run, which takes its time. InputError where that file cannot be written.
void check_writable(const std::filesystem::path& file);
void check_trace_file(const std::string& file);  // its ending too

// Of a run; nothing where `file` is "". Errors: of trace/files.h.
void save_trace(const Trace& trace, const std::string& file);
// Of a run that failed with this error: it is what one wants to look at then. Where it cannot be saved, the
// error has a line that says so. Whether it was saved.
bool save_trace_of_failed(const Trace& trace, const std::string& file, Error& error);

}  // namespace ringside
