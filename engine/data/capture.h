// The output of another program, started without a shell, within a deadline.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ringside {

// What `command` (program, arguments...) writes to its standard output; nothing
// if it cannot be started, fails, writes more than max_bytes or is late (then it
// is killed). Its standard input is empty, its standard error is dropped.
std::optional<std::string> capture(const std::vector<std::string>& command, size_t max_bytes,
                                   std::chrono::milliseconds limit);

}  // namespace ringside
