// A small task whose answers can be checked, for SFT, pairs and rewards: "sort 427: 247\n". All texts are of
// one length.
#pragma once

#include <vector>

#include "ringside/nn/language_model.h"
#include "ringside/nn/language_tasks.h"

namespace ringside::inline nn {

inline constexpr int64_t kSortedDigits = 3, kSortPrompt = kSortedDigits + 7, kSortAnswer = kSortedDigits + 1;

struct SortingTask {
  bool answer_only = true;    // the answer alone carries a loss; off: every byte behind the first
  bool either_order = false;  // each answer rises or falls, by a coin; off: it rises
};
// Drawn from the stream (seed, purpose).
std::vector<TokenExample> sorting_examples(int64_t count, uint64_t seed, const char* purpose,
                                           const SortingTask& task = {});
// The reward: 1 where the digits of the answer rise, else 0. text: of kSortPrompt + kSortAnswer tokens
double is_sorted_answer(const std::vector<int64_t>& text);
// The share of these tasks that a model does right, by its likeliest bytes. tasks: of sorting_examples()
double right_answers(const LanguageModel& model, const Batch& tasks);
// Chosen, rejected, chosen, ...: of an answer's digits the rejected one has the opposite order; near: the last
// two exchanged alone.
std::vector<TokenExample> sorting_pairs(int64_t pairs, uint64_t seed, bool near);

}  // namespace ringside::inline nn
