// The softmax over a vocabulary that is cut: on ranks, in one process that computes every part, and whole.
#include "ringside/nn/cut_softmax.h"

#include "catch.h"
#include "ringside/nn/losses.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/world/world.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kCutRows = 3, kCutLength = 6;

struct CutAnswer {
  at::Tensor logp, is_first, d_logits;  // of all places: (n, B, T, V_r), or of one
};

// Logits of `places` parts, (n, B, T, V_r), of a vocabulary of V; padding is noise that nobody may see.
at::Tensor logits_of_parts(const at::Tensor& whole, int places) {
  const int64_t V = whole.size(2), rows = (V + places - 1) / places;
  const at::Tensor padded = at::full({kCutRows, kCutLength, rows * places}, 99.0f);
  padded.narrow(2, 0, V).copy_(whole);
  return padded.view({kCutRows, kCutLength, places, rows}).permute({2, 0, 1, 3}).contiguous();
}

CutAnswer answer_of(const TensorParallel& tp, const at::Tensor& parts, const at::Tensor& tokens, int64_t V) {
  const at::Tensor logits = parts.clone().set_requires_grad(true);
  const NextTokens next = next_tokens_over(tp, logits, tokens, V);
  run_backward((next.logp * random_tensor({kCutRows, kCutLength - 1}, 3)).sum());
  return {next.logp.detach(), next.is_first, logits.grad()};
}

void check_cut(int places, int64_t V) {
  INFO(V << " rows over " << places << " places");
  const at::Tensor whole = random_tensor({kCutRows, kCutLength, V}, 1, 4).set_requires_grad(true);
  const at::Tensor tokens = random_tensor({kCutRows, kCutLength}, 2).mul(1e6).to(at::kLong).remainder(V);
  const at::Tensor parts = logits_of_parts(whole.detach(), places);
  const at::Tensor logp = token_log_probabilities(whole, tokens);
  run_backward((logp * random_tensor({kCutRows, kCutLength - 1}, 3)).sum());

  const CutAnswer emulated = answer_of(TensorParallel::emulated(places, false), parts, tokens, V);
  CHECK(max_distance(emulated.logp, logp) < 4e-6);
  CHECK(emulated.is_first.equal(whole.argmax(2).slice(1, 0, kCutLength - 1).eq(tokens.slice(1, 1))));
  const at::Tensor gradient = emulated.d_logits.permute({1, 2, 0, 3}).reshape({kCutRows, kCutLength, -1});
  CHECK(max_distance(gradient.narrow(2, 0, V), whole.grad()) < 2e-6);
  CHECK(gradient.narrow(2, V, gradient.size(2) - V).eq(0).all().item<bool>());

  run_world({.ranks = places}, [&](World& world) {
    use_one_thread();
    ProcessGroup& group = world.group("tp");
    const int64_t r = world.rank();
    const CutAnswer own = answer_of(TensorParallel(&group, false), parts[r], tokens, V);
    const bool same = own.logp.equal(emulated.logp) && own.is_first.equal(emulated.is_first) &&
                      own.d_logits.equal(emulated.d_logits[r]);
    if (!same) throw InvariantError("place " + std::to_string(r) + " has other bits");
  });
}

}  // namespace

TEST_CASE("a softmax over a vocabulary that is cut is the whole one, and has one process' bits") {
  for (const int places : {2, 3, 4})
    for (const int64_t V : {5, 12, 40}) check_cut(places, V);  // 5 over 4: the last place has padding alone
}
