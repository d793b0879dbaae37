// The task that is taught, and what is measured of a byte model between the stages, on one thread.
#pragma once

#include "ringside/nn/language_tasks.h"

namespace ringside::lessons::stages {

using Weights = std::vector<at::Tensor>;  // in the order of classifier_shapes()
using Examples = std::vector<TokenExample>;

// "sort 427: 247\n": it can be checked. In either order: rising or falling, by a coin.
inline constexpr int64_t kDigits = 3, kPrompt = kDigits + 7, kAnswer = kDigits + 1;
Examples sorting_tasks(int64_t count, uint64_t seed, const char* purpose, bool answer_only,
                       bool either_order);
double is_right(const std::vector<int64_t>& text);  // 1 where the digits rise
// Chosen, rejected, chosen, ...: the rejected answer falls; near: it rises, but its last two digits are
// exchanged.
Examples pairs_of(int64_t pairs, uint64_t seed, bool near);

// What no stage reads.
struct Exam {
  ClassifierConfig model;
  Examples text, cpp, tasks;
};
double mean_loss(const Exam& exam, const Weights& weights, const Examples& of);  // nats of a byte with a loss
at::Tensor token_losses(const Exam& exam, const Weights& weights, const Batch& batch);  // of those, in order
double right_answers(const Exam& exam, const Weights& weights);  // percent, by the likeliest bytes
// KL(before || after) of the next byte, mean over those with a loss.
double divergence(const Exam& exam, const Weights& before, const Weights& after, const Examples& of);
at::Tensor joined(const Weights& weights);                            // one behind the other, (elements)
double moved(const Weights& before, const Weights& after);            // |after - before| / |before|
double changed_in_bf16(const Weights& before, const Weights& after);  // share of all weights
// What is written behind a prompt, as one line.
std::string written(const Exam& exam, const Weights& weights, const std::string& prompt, int64_t bytes);

}  // namespace ringside::lessons::stages
