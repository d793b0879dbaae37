// The programs of ringside-ps.
#pragma once

#include <iosfwd>

#include "options.h"
#include "ringside/base/error.h"

namespace ringside {

ExitCode ps_node(const Options& options, std::ostream& out);
ExitCode bench_server(const Options& options, std::ostream& out);

}  // namespace ringside
