// What a training's section shows of its evaluations and of the outputs that forward returned.
#pragma once

#include <cstdint>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::nccl_lesson {

// The most bytes that were live on rank 0 within a span of this name.
int64_t peak_bytes(const Trace& trace, const SectionView& section, std::string_view span_name);

// (evaluations) bytes that rank 0 received in an evaluation's gathers of outputs. Every rank contributes as
// much, so it is what rank 0 was counted to send.
std::vector<int64_t> gathered_bytes(const Trace& trace, const SectionView& section);

// The most bytes of hidden states and attentions that nothing but the returned outputs kept alive in a step:
// backward has come to the embedding and needs none of them any more, and they are freed after it. Rank 0, as
// the memory hook saw them.
int64_t held_output_bytes(const Trace& trace, const SectionView& section);

// Whether rank 0 gathered hidden states: what forward returned in evaluation.
bool gathered_hidden_states(const Trace& trace, const SectionView& section);

// The first collective that carried gradients after the first evaluation, in elements: what the log's line
// names.
int64_t first_bucket_after_evaluation(const Trace& trace, const SectionView& section);

}  // namespace ringside::nccl_lesson
