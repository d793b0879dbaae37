// Reads a trace: attributes and outcomes that may be missing, and what happened within spans of rank 0.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::inline trace {

// Of a section, in words; "" where it is missing, or the section is.
std::string attribute(const SectionView& section, const std::string& key);
std::string attribute(const Trace& trace, const std::string& section, const std::string& key);
// None where it is missing or no number.
std::optional<double> number_in(const SectionView& section, const std::string& key);
std::optional<double> number_in(const Trace& trace, const std::string& section, const std::string& key);
bool is_yes(const SectionView& section, const std::string& key);
// Of the run's outcome.
std::optional<double> outcome(const Trace& trace, const std::string& name);
std::string outcome_text(const Trace& trace, const std::string& name);  // "" where it is missing

// Rank 0's spans of that name, in the order in which they ended.
std::vector<SpanEvent> spans_named(const Trace& trace, const SectionView& section, std::string_view span);
std::vector<double> span_ms(const Trace& trace, const SectionView& section, std::string_view span);
// The most bytes that were live on rank 0 within a span of this name.
int64_t peak_bytes(const Trace& trace, const SectionView& section, std::string_view span);
int64_t peak_bytes(const SectionView& section, Category category);  // of the whole section

}  // namespace ringside::inline trace
