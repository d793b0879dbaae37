// The double-entry ledger: what was predicted from the configuration alone against what the allocator and the
// code that moves bytes counted. A row's unexplained bytes are counted - predicted - the sum of its reasons.
#pragma once

#include <cstdint>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::inline ledger {

// Moments at which state memory is read; notes of these names mark them in the trace.
inline constexpr const char* kAfterConstruction = "after construction";
inline constexpr const char* kStepEntry = "step entry";  // after backward, before the optimizer
inline constexpr const char* kAfterStep = "after step";
// Of a step that keeps whole gradients from one micro-batch to the next (no_sync): after the last but one.
inline constexpr const char* kBetweenMicroBatches = "between micro-batches";

// Not a moment but the highest value of the whole section; category "total" is the
// highest sum over all categories.
inline constexpr const char* kPeak = "peak";

// The reason of a traffic row some of whose calls were carried by a transport that hides what it sends: it
// takes up what was predicted and could not be counted.
inline constexpr const char* kHiddenBytes = "not observable";

// In the place of an operation, of messages that nobody has to expect (trace/events.h): their number may
// depend on time, so a kind without a prediction is counted alone.
inline constexpr const char* kMessageOp = "message";

// Every counted row of a section: memory per rank and category at these moments (the last occurrence of each
// note, where there is one) and the peak; traffic per rank, tag and op, messages per rank and tag.
std::vector<LedgerRow> count_rows(const Trace& trace, const SectionView& section);

// Joins the two sides of one section by (what, rank, category, at, op); the section's name comes
// from the counted side. InvariantError where a side has a row twice. A predicted row that was
// never counted counts 0; a counted row without a prediction keeps predicted empty
// only where `counted_only` says so, else it is predicted 0 and so turns up as unexplained.
std::vector<LedgerRow> reconcile(std::vector<LedgerRow> predicted, const std::vector<LedgerRow>& counted);

// Categories and moments that no formula predicts: activations, buffers, other, the peak; messages.
bool counted_only(const LedgerRow& row);

int64_t unexplained_bytes(const std::vector<LedgerRow>& rows);  // the sum of absolute values

}  // namespace ringside::inline ledger
