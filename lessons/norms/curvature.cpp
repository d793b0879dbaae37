// Features of different scales: the Hessian of least squares, which is known, and the classifier's by
// products with vectors; and gradient descent on both.
#include "blocks.h"
#include "ringside/nn/classifier.h"
#include "ringside/second_order/derivatives.h"
#include "ringside/second_order/differences.h"
#include "ringside/second_order/lanczos.h"

namespace ringside::lessons::norms {
namespace {

constexpr int64_t kRows = 32, kMostTokens = 8, kHidden = 16, kProducts = 50;

// The classifier in fp64. Feature h of its embedding has the deviation 0.1 spread^(h / (H - 1)).
class Spread {
 public:
  Spread(const std::string& features, double spread)
      : mode_(features == kRaw ? Mode::kEvaluate : Mode::kTrain),
        model_({.hidden = kHidden,
                .heads = 2,
                .kv_heads = 1,
                .intermediate = 32,
                .layers = 1,
                .norm = features == kByLayer ? NormKind::kLayer : NormKind::kBatch},
               kMostTokens) {
    ParameterSet& set = model_.parameters();
    const at::Tensor scales = at::logspace(0, std::log10(spread), kHidden, 10, at::kDouble) * 0.1;
    for (size_t p = 0; p < set.leaves.size(); ++p) {
      at::Tensor leaf = at::empty(set.shapes[p].shape);
      initialize(leaf, set.shapes[p], 0);
      leaf = leaf.to(at::kDouble);
      if (leaf.dim() == 2) leaf.div_(0.02 * std::sqrt(kHidden));
      if (p == 0) leaf.mul_(scales * std::sqrt(kHidden));
      set.leaves[p] = leaf.set_requires_grad(true);
    }
    const Dataset data = load_dataset({.max_tokens = kMostTokens, .synthetic_train = kRows});
    std::vector<int64_t> all(kRows);
    for (int64_t i = 0; i < kRows; ++i) all[size_t(i)] = i;
    batch_ = make_batch(data.train, all);
  }

  // Batch norm that has seen no batch and evaluates divides by sqrt(1 + eps): it is no norm.
  at::Tensor loss() {
    return weighted_loss(model_.forward(batch_, {.mode = mode_}).logits, batch_).to(at::kDouble) / kRows;
  }
  const std::vector<at::Tensor>& weights() { return model_.parameters().leaves; }

 private:
  Mode mode_;
  Classifier model_;
  Batch batch_;
};

// The largest eigenvalues, each known to a percent; the first of them is returned.
double record_eigenvalues(const std::string& features, Spread& model, Recorder& recorder) {
  const auto times = [&](const at::Tensor& v) {
    return hessian_times_by_differences([&] { return model.loss(); }, model.weights(), v);
  };
  const int64_t unknowns = gradient_of(model.loss(), model.weights()).numel();
  const auto values = ritz_values(times, noise({unknowns}, 12), kProducts);
  for (size_t i = 0; i < kEigenvalues && values[i].error < 0.01 * values[i].value; ++i)
    record_point(recorder, features, double(i + 1), values[i].value);
  return values.front().value;
}

}  // namespace

void record_curvature(const Pens& pen, double spread) {
  Recorder &eigenvalues = pen(kCurvature), &falls = pen(kFall);
  for (const char* features : {kRaw, kByBatch, kByLayer}) {
    Spread model(features, spread);
    const double largest = record_eigenvalues(features, model, eigenvalues);
    for (int64_t step = 0; step <= kFallSteps; ++step) {
      const at::Tensor loss = model.loss();
      record_point(falls, features, double(step), loss.item<double>());
      add_direction(model.weights(), gradient_of(loss, model.weights()), -1 / largest);
    }
  }
}

// Least squares over four features: its Hessian is X^T X / n. Behind layer norm the four add up to 0, so that
// one eigenvalue is 0: RMS norm stands for both.
void record_squares(const Pens& pen, double spread) {
  Recorder &eigenvalues = pen(kSquares), &falls = pen(kDescent);
  constexpr int64_t kCount = 256;
  const at::Tensor scales = at::logspace(0, std::log10(spread), 4);
  for (const auto& [features, norm] :
       {std::pair(kRaw, ""), {kByBatch, "batch"}, {kByRms, "rms"}, {kAlike, "batch"}}) {
    const at::Tensor base = noise({kCount, 4}, 10);
    if (features == kAlike)
      base.select(1, 1).mul_(std::sqrt(1 - kAlikeness * kAlikeness)).add_(base.select(1, 0), kAlikeness);
    const at::Tensor target = base.sum(1, true), plain = base * scales,
                     x = features == kRaw ? plain : normalised(norm, plain);
    const at::Tensor values = at::linalg_eigvalsh((at::matmul(x.t(), x) / kCount).to(at::kDouble));  // rising
    for (int64_t i = 3; i >= 0; --i)
      record_point(eigenvalues, features, double(4 - i), values[i].item<double>());
    at::Tensor w = at::zeros({4, 1});
    const double first = target.pow(2).mean().item<double>(), most = values[3].item<double>();
    for (int64_t step = 0; step <= 100; ++step) {
      const at::Tensor error = at::matmul(x, w) - target;
      record_point(falls, features, double(step), error.pow(2).mean().item<double>() / first);
      w = w - at::matmul(x.t(), error) / (kCount * most);
    }
  }
}

}  // namespace ringside::lessons::norms
