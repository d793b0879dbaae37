// What `--trace FILE` is written as, by its name.
#pragma once

#include <string>

#include "ringside/trace/files.h"

namespace ringside {

TraceFormat trace_format(const std::string& file);  // UsageError for another ending

}  // namespace ringside
