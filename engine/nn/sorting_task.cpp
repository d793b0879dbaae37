#include "ringside/nn/sorting_task.h"

#include <algorithm>

#include "ringside/nn/cached_reading.h"

namespace ringside::inline nn {

std::vector<TokenExample> sorting_examples(int64_t count, uint64_t seed, const char* purpose,
                                           const SortingTask& task) {
  RandomStream stream(seed, purpose);
  std::vector<TokenExample> examples;
  while (std::ssize(examples) < count) {
    std::string digits;
    for (int64_t i = 0; i < kSortedDigits; ++i) digits += char('0' + stream.below(10));
    std::string answer = digits;
    std::ranges::sort(answer);
    if (task.either_order && stream.below(2) == 1) std::ranges::reverse(answer);
    const std::string text = "sort " + digits + ": " + answer + "\n";
    examples.push_back({{text.begin(), text.end()}, task.answer_only ? kSortPrompt : 1});
  }
  return examples;
}

double is_sorted_answer(const std::vector<int64_t>& text) {
  const auto asked = text.begin() + 5;  // behind "sort "
  std::vector<int64_t> wanted(asked, asked + kSortedDigits);
  std::ranges::sort(wanted);
  wanted.push_back('\n');
  return std::equal(wanted.begin(), wanted.end(), text.begin() + kSortPrompt) ? 1 : 0;
}

double right_answers(const LanguageModel& model, const Batch& tasks) {
  RandomStream unused(0, "");
  const at::Tensor prompts = tasks.tokens.narrow(1, 0, kSortPrompt);
  const Written written = write_on(model, prompts, kSortAnswer, {.temperature = 0}, unused);
  return rewards_of(written.text.contiguous(), is_sorted_answer).mean().item<double>();
}

std::vector<TokenExample> sorting_pairs(int64_t pairs, uint64_t seed, bool near) {
  std::vector<TokenExample> answers;
  for (const TokenExample& chosen : sorting_examples(2 * pairs, seed, "pairs")) {
    TokenExample rejected = chosen;
    const auto digits = rejected.tokens.begin() + kSortPrompt;
    if (near)
      std::swap(digits[kSortedDigits - 1], digits[kSortedDigits - 2]);
    else
      std::reverse(digits, digits + kSortedDigits);
    if (rejected.tokens == chosen.tokens || std::ssize(answers) == 2 * pairs) continue;
    answers.push_back(chosen), answers.push_back(rejected);
  }
  return answers;
}

}  // namespace ringside::inline nn
