// Reads what a run wrote into its sections (names.h), and measures a training's section.
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
// Of the run's outcome.
std::optional<double> outcome(const Trace& trace, const std::string& name);
std::string underscored(std::string section);  // as it stands in names of the outcome: "fix_timeout"

// Lengths of rank 0's spans of that name, in the order in which they ended.
std::vector<double> span_ms(const Trace& trace, const SectionView& section, std::string_view span);
// The most bytes that were live on rank 0 within a span of this name.
int64_t peak_bytes(const Trace& trace, const SectionView& section, std::string_view span);
// (evaluations) bytes that rank 0 received in an evaluation's gathers of outputs. Every rank contributes as
// much, so it is what rank 0 was counted to send.
std::vector<int64_t> gathered_bytes(const Trace& trace, const SectionView& section);
// The most bytes of hidden states and attentions that nothing but the returned outputs kept alive in a step:
// backward has come to the embedding and needs none of them, and they are freed after it. Rank 0.
int64_t held_output_bytes(const Trace& trace, const SectionView& section);
// Whether rank 0 gathered hidden states: what forward returned in evaluation.
bool gathered_hidden_states(const Trace& trace, const SectionView& section);
// The first collective that carried gradients after the first evaluation, in elements: what the log names.
int64_t first_bucket_after_evaluation(const Trace& trace, const SectionView& section);

}  // namespace ringside::nccl_lesson
