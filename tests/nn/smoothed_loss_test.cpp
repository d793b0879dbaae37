#include "ringside/nn/batch.h"

#include "catch.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

Batch labelled(int64_t rows) {
  Batch batch;
  batch.labels = at::arange(rows, at::kLong).remainder(4);
  batch.weights = at::ones({rows}, at::kFloat);
  return batch;
}

}  // namespace

TEST_CASE("Label smoothing is PyTorch's, with its gradient; a row's weight multiplies it") {
  const int64_t rows = 7;
  Batch batch = labelled(rows);
  for (const double s : {0.0, 0.1, 0.7}) {
    INFO(s);
    const at::Tensor ours = random_tensor({rows, 4}, 3, 2.0).set_requires_grad(true);
    const at::Tensor theirs = ours.detach().clone().set_requires_grad(true);
    const at::Tensor loss = smoothed_loss(ours, batch, s);
    const at::Tensor expected = at::cross_entropy_loss(theirs, batch.labels, {}, at::Reduction::Sum, -100, s);
    CHECK(loss.item<double>() == Approx(expected.item<double>()).epsilon(1e-6));
    run_backward(loss);
    run_backward(expected);
    CHECK((ours.grad() - theirs.grad()).abs().max().item<double>() < 1e-6);
  }
  batch.weights[2] = 0, batch.weights[5] = 3;
  const at::Tensor logits = random_tensor({rows, 4}, 5);
  double sum = 0;
  for (int64_t row = 0; row < rows; ++row) {
    Batch one = labelled(1);
    one.labels[0] = batch.labels[row];
    sum +=
        smoothed_loss(logits.narrow(0, row, 1), one, 0.3).item<double>() * batch.weights[row].item<double>();
  }
  CHECK(smoothed_loss(logits, batch, 0.3).item<double>() == Approx(sum).epsilon(1e-6));
}

TEST_CASE("Without smoothing it is the plain loss, bit for bit") {
  const Batch batch = labelled(9);
  const at::Tensor logits = random_tensor({9, 4}, 8, 3.0);
  CHECK(smoothed_loss(logits, batch, 0).equal(weighted_loss(logits, batch)));
}
