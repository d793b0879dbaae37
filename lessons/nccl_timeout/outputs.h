// Act 3: what returning hidden states costs, in memory, bytes and time, in each version.
#pragma once

#include "ringside/lesson/lesson.h"
#include "training.h"

namespace ringside::nccl_lesson {

struct OutputsSetup {
  std::string section, title;
  Training training = {};
};

// The four versions, two of them as the second document supposes the flags to be, and two other transfers.
std::vector<OutputsSetup> outputs_setups(const Training& base);

// Trains it as a section, measures, and writes the attributes of kind "outputs". Returns its ledger.
std::vector<LedgerRow> run_outputs(const OutputsSetup& setup, const Dataset& dataset,
                                   const RunContext& context);

}  // namespace ringside::nccl_lesson
