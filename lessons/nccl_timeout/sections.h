// Reads the attributes that a run wrote into its sections (names.h).
#pragma once

#include <optional>
#include <string>

#include "names.h"
#include "ringside/trace/trace.h"

namespace ringside::nccl_lesson {

// "" where the section or the attribute is missing.
std::string attribute(const Trace& trace, const std::string& section, const std::string& key);
// None where it is missing or no number.
std::optional<double> figure(const Trace& trace, const std::string& section, const std::string& key);
std::string underscored(std::string section);  // as it stands in names of the outcome: "fix_timeout"
// Of the run's outcome.
std::optional<double> outcome(const Trace& trace, const std::string& name);

}  // namespace ringside::nccl_lesson
