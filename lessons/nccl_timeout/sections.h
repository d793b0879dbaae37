// Reads the attributes that a run wrote into its sections (names.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "names.h"
#include "ringside/trace/trace.h"

namespace ringside::nccl_lesson {

// "" where the section or the attribute is missing.
std::string attribute(const Trace& trace, const std::string& section, const std::string& key);
// None where it is missing or no number.
std::optional<double> figure(const Trace& trace, const std::string& section, const std::string& key);
// Lengths of rank 0's spans of that name, in the order in which they ended.
std::vector<double> span_ms(const Trace& trace, const SectionView& section, std::string_view span);
std::string underscored(std::string section);  // as it stands in names of the outcome: "fix_timeout"
// Of the run's outcome.
std::optional<double> outcome(const Trace& trace, const std::string& name);

}  // namespace ringside::nccl_lesson
