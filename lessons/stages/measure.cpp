#include "measure.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "ringside/nn/cached_reading.h"
#include "ringside/nn/preference_loss.h"

namespace ringside::lessons::stages {
namespace {

std::vector<int64_t> bytes_of(const std::string& text) {
  std::vector<int64_t> bytes;
  for (const char c : text) bytes.push_back(static_cast<uint8_t>(c));
  return bytes;
}

at::Tensor logits_of(const Exam& exam, const Weights& weights, const Batch& batch) {
  Classifier classifier(exam.model, batch.tokens.size(1));
  classifier.parameters().leaves = weights;
  return classifier.forward(batch, {}).logits;
}

}  // namespace

Examples sorting_tasks(int64_t count, uint64_t seed, const char* purpose, bool answer_only,
                       bool either_order) {
  RandomStream stream(seed, purpose);
  Examples tasks;
  while (std::ssize(tasks) < count) {
    std::string digits;
    for (int64_t i = 0; i < kDigits; ++i) digits += static_cast<char>('0' + stream.below(10));
    std::string answer = digits;
    std::ranges::sort(answer);
    if (either_order && stream.below(2) == 1) std::ranges::reverse(answer);
    tasks.push_back({bytes_of("sort " + digits + ": " + answer + "\n"), answer_only ? kPrompt : 1});
  }
  return tasks;
}

double is_right(const std::vector<int64_t>& text) {
  std::vector<int64_t> wanted(text.begin() + 5, text.begin() + 5 + kDigits);
  std::ranges::sort(wanted);
  wanted.push_back('\n');
  return std::equal(wanted.begin(), wanted.end(), text.begin() + kPrompt) ? 1 : 0;
}

Examples pairs_of(int64_t pairs, uint64_t seed, bool near) {
  Examples answers;
  for (const TokenExample& chosen : sorting_tasks(2 * pairs, seed, "pairs", true, false)) {
    TokenExample rejected = chosen;
    const auto begin = rejected.tokens.begin() + kPrompt;  // of the answer's digits
    if (near)
      std::swap(begin[kDigits - 1], begin[kDigits - 2]);
    else
      std::reverse(begin, begin + kDigits);
    if (rejected.tokens == chosen.tokens || std::ssize(answers) == 2 * pairs) continue;
    answers.push_back(chosen), answers.push_back(rejected);
  }
  return answers;
}

double mean_loss(const Exam& exam, const Weights& weights, const Examples& of) {
  const at::NoGradGuard no_grad;
  const Batch batch = batch_of(of);
  return -(masked_logp(logits_of(exam, weights, batch), batch).sum() / batch.beside[0].sum()).item<double>();
}

at::Tensor token_losses(const Exam& exam, const Weights& weights, const Batch& batch) {
  const at::Tensor logp = token_log_probabilities(logits_of(exam, weights, batch), batch.tokens);
  return -logp.masked_select(batch.beside[0].ne(0));
}

double right_answers(const Exam& exam, const Weights& weights) {
  RandomStream unused(0, "");
  const at::Tensor prompts = batch_of(exam.tasks).tokens.narrow(1, 0, kPrompt);
  const at::Tensor text =
      write_on(exam.model, leaves_of(weights), prompts, kAnswer, {.temperature = 0}, unused).contiguous();
  return 100 * rewards_of(text, is_right).mean().item<double>();
}

double divergence(const Exam& exam, const Weights& before, const Weights& after, const Examples& of) {
  const at::NoGradGuard no_grad;
  const Batch batch = batch_of(of);
  const auto logp = [&](const Weights& weights) {
    return at::log_softmax(logits_of(exam, weights, batch), 2).slice(1, 0, -1);
  };
  const at::Tensor p = logp(before), kl = (p.exp() * (p - logp(after))).sum(2);  // (B, T-1)
  return ((kl * batch.beside[0]).sum() / batch.beside[0].sum()).item<double>();
}

at::Tensor joined(const Weights& weights) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& t : weights) flat.push_back(t.flatten());
  return at::cat(flat);
}

double moved(const Weights& before, const Weights& after) {
  const at::Tensor b = joined(before);
  return ((joined(after) - b).norm() / b.norm()).item<double>();
}

double changed_in_bf16(const Weights& before, const Weights& after) {
  const auto rounded = [](const Weights& weights) { return joined(weights).to(at::kBFloat16); };
  return rounded(before).ne(rounded(after)).to(at::kFloat).mean().item<double>();
}

std::string written(const Exam& exam, const Weights& weights, const std::string& prompt, int64_t bytes) {
  RandomStream stream(3, prompt);
  const at::Tensor asked = at::tensor(bytes_of(prompt), at::kLong).unsqueeze(0);
  const at::Tensor text = write_on(exam.model, leaves_of(weights), asked, bytes,
                                   {.temperature = 0.5, .vocabulary = kPadToken}, stream);
  std::string line;
  for (int64_t i = 0; i < text.size(1); ++i) {
    const auto byte = text[0][i].item<int64_t>();
    line += byte == '\n' ? '|' : byte < 32 || byte > 126 ? '?' : static_cast<char>(byte);
  }
  return line;
}

}  // namespace ringside::lessons::stages
