// Reads a trace: attributes and outcomes that may be missing, spans and calls by name, and what happened
// within spans of rank 0.
#pragma once

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

inline constexpr int kAllRanks = -1;  // rank after rank
// A rank's spans of that name, in the order in which they ended.
std::vector<SpanEvent> spans_named(const Trace& trace, const SectionView& section, std::string_view span,
                                   int rank = 0);
bool is_within(int64_t time_ns, const SpanEvent& span);
// A rank's collectives, sends and receives with that tag that came to their end, in that order.
std::vector<CollectiveEvent> completed_calls(const Trace& trace, const SectionView& section,
                                             std::string_view tag, int rank = 0);
std::vector<double> span_ms(const Trace& trace, const SectionView& section, std::string_view span);
// The most bytes that were live on rank 0 within a span of this name.
int64_t peak_bytes(const Trace& trace, const SectionView& section, std::string_view span);
int64_t peak_bytes(const SectionView& section, Category category);  // of the whole section

}  // namespace ringside::inline trace
