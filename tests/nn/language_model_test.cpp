// What is measured of language models, each against its definition; the examples that they learn from.
#include "ringside/nn/language_model.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/nn/layers.h"
#include "ringside/nn/sorting_task.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

LanguageModel noisy() {
  ClassifierConfig config = small_config();
  config.classes = config.vocabulary, config.every_position = true;
  return {config, noisy_model(config).parameters().leaves};
}
LanguageModel uniform() {  // weights of 0: each token is as likely
  LanguageModel model = noisy();
  for (at::Tensor& t : model.weights) t = at::zeros_like(t);
  return model;
}

const Batch kExam = batch_of({{{1, 7, 3, 3, 10}, 2}, {{2, 9, 10, 0, 4}, 4}});

}  // namespace

TEST_CASE("losses and divergence count the tokens with a loss alone") {
  const double log_V = std::log(11.0);
  CHECK(mean_loss(uniform(), kExam) == Approx(log_V));
  const at::Tensor losses = token_losses(noisy(), kExam);  // 3 of one text, 1 of the other
  CHECK((losses.numel() == 4 && losses.requires_grad()));
  CHECK(losses.mean().item<double>() == Approx(mean_loss(noisy(), kExam)));
  CHECK(mean_divergence(noisy(), noisy(), kExam) == 0);
  // KL(uniform || q) = -log V - mean_v log q_v
  const at::Tensor log_q = at::log_softmax(output_of(noisy(), kExam).logits, 2).mean(2).slice(1, 0, -1);
  const at::Tensor each = (-log_V - log_q).masked_select(kExam.beside[0].ne(0));
  CHECK(mean_divergence(uniform(), noisy(), kExam) == Approx(each.mean().item<double>()).epsilon(1e-4));
}

TEST_CASE("a head's queries and keys give its attention; a sink is what pays most to the first token") {
  const at::Tensor attention = output_of(noisy(), kExam, {.attentions = true}).attentions[0];  // (B, A, T, T)
  for (const int64_t head : {0, 3}) {
    const auto [q, k] = first_queries_and_keys(noisy(), kExam.tokens[0], head);
    const at::Tensor scores = at::matmul(q, k.t()) / 2.0 + make_causal_mask(5);  // D = 4
    CHECK(max_distance(at::softmax(scores, -1), attention[0][head]) < 1e-6);
  }
  CHECK(attention_to_first(uniform(), kExam) == Approx((1 / 3.0 + 1 / 4.0 + 1 / 5.0) / 3));
}

TEST_CASE("weights that moved") {
  const std::vector<at::Tensor> before = {at::tensor({3.f}), at::tensor({4.f, 0.f})},
                                after = {at::tensor({3.f}), at::tensor({4.001f, 2.5f})};
  CHECK(relative_change(before, after) == Approx(0.5).epsilon(1e-4));
  CHECK(changed_in_bf16(before, after) == Approx(1 / 3.0));  // 4.001 is 4 in bf16
}

TEST_CASE("sorting: what is drawn can be checked, and a pair has one right answer") {
  const auto rising = sorting_examples(20, 1, "test"),
             either = sorting_examples(20, 1, "test", {false, true});
  double right = 0;
  for (size_t i = 0; i < 20; ++i) {
    CHECK(is_sorted_answer(rising[i].tokens) == 1);
    CHECK((rising[i].from == kSortPrompt && either[i].from == 1));
    right += is_sorted_answer(either[i].tokens);
  }
  CHECK((right > 2 && right < 18));
  for (const bool near : {false, true})
    for (size_t i = 0; const TokenExample& one : sorting_pairs(5, 1, near))
      CHECK(is_sorted_answer(one.tokens) == (i++ % 2 == 0 ? 1 : 0));
  const ClassifierConfig config = byte_language_model(16, 1);
  const LanguageModel untrained(config, initial_values(classifier_shapes(config), 1));
  CHECK(right_answers(untrained, batch_of(rising)) == 0);
}

TEST_CASE("windows of one class, so many at most, and a mix of old and new") {
  Dataset data;
  data.classes = {"a", "b"};
  data.train = {{{1, 2, 3, 4, 5}, 0}, {{6, 7, 8}, 1}};
  data.test = {{{9, 9, 9}, 1}};
  const ClassWindows windows = windows_of_class(data, "b", 2, 9);
  CHECK((windows.train.size() == 1 && windows.train[0].tokens == std::vector<int64_t>{6, 7}));
  for (const char* name : {"a", "c"}) CHECK_THROWS_AS(windows_of_class(data, name, 2, 9), InputError);
  CHECK_THROWS_WITH(windows_of_class(data, "c", 2, 9), "data: there is no class 'c'; there are: a, b");
  CHECK(windows_of(data.train, 2).size() == 3);
  CHECK(windows_of(data.train, 2, 2).size() == 2);
  const auto mix = mixed(std::vector<TokenExample>(10, {{1}}), {{{2}}}, 30);
  CHECK(std::ranges::count_if(mix, [](const TokenExample& one) { return one.tokens[0] == 2; }) == 3);
}
