#include "ringside/nn/set_norm.h"

#include <ATen/Dispatch.h>

#include <algorithm>

#include "graph_node.h"
#include "ringside/base/check.h"
#include "ringside/nn/norm.h"
#include "ringside/norms/set_norm.h"

namespace ringside::inline nn {
namespace {

using norms::Sums;

// How the rows of x are cut into blocks, and what features share.
struct Sets {
  int64_t blocks = 1, rows = 0, width = 0, fold = 1;  // rows: of one block
  at::Tensor real{};                                  // (blocks * rows) bool, or undefined
  ProcessGroup* group = nullptr;
  std::string name{};

  norms::Block block(int64_t index) const {
    return {rows, width, real.defined() ? real.data_ptr<bool>() + index * rows : nullptr};
  }
  norms::SetStatistics statistics(const at::Tensor& mean, const at::Tensor& scale, int64_t index) const {
    return {mean.data_ptr<double>() + index * width, scale.data_ptr<double>() + index * width};
  }
  int64_t offset(int64_t index) const { return index * rows * width; }
};

void add_over_ranks(Sums& sums, const Sets& sets, const char* tag) {
  if (sets.group == nullptr) return;
  sets.group->all_reduce_now({sums.data(), std::ssize(sums), Dtype::kFloat64}, {tag, sets.name});
}

Sums divided(Sums sums, double by) {
  for (double& sum : sums) sum /= by;
  return sums;
}

// n of a set of this block, over all ranks. Never 0, as a divisor.
double divisor_of(double rows, const Sets& sets) { return std::max(rows * double(sets.fold), 1.0); }

// Fills one block's rows of mean and variance; returns its real rows, over all ranks.
template <typename Real>
double take_statistics(const norms::Block& block, const Sets& sets, const Real* x, double* mean,
                       double* variance) {
  Sums sums = norms::sum_of(block, x);
  sums.push_back(double(block.count()));
  add_over_ranks(sums, sets, "norm statistics");
  const double rows = sums.back();
  sums.pop_back();
  const double n = divisor_of(rows, sets);
  std::ranges::copy(divided(norms::folded(std::move(sums), sets.fold), n), mean);
  Sums squares = norms::squares_of(block, x, mean);
  add_over_ranks(squares, sets, "norm statistics");
  std::ranges::copy(divided(norms::folded(std::move(squares), sets.fold), n), variance);
  return rows;
}

// Of a feature's set: the mean of g = w dy, and of g u.
struct GradientMeans {
  Sums g, gu;
};

template <typename Real>
GradientMeans means_of(const norms::GradientSums& own, double rows, const Sets& sets, const Real* weight) {
  Sums all = own.dy;
  all.insert(all.end(), own.dy_u.begin(), own.dy_u.end());
  add_over_ranks(all, sets, "norm statistics backward");
  const auto H = size_t(sets.width);
  GradientMeans means{Sums(H), Sums(H)};
  for (size_t i = 0; i < H; ++i) means.g[i] = weight[i] * all[i], means.gu[i] = weight[i] * all[H + i];
  const double n = divisor_of(rows, sets);
  means.g = divided(norms::folded(std::move(means.g), sets.fold), n);
  means.gu = divided(norms::folded(std::move(means.gu), sets.fold), n);
  return means;
}

struct SetNorm : torch::autograd::Function<SetNorm> {
  // mean, scale: (blocks, H), rows: (blocks), all fp64
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, const at::Tensor& mean, const at::Tensor& scale,
                            const at::Tensor& rows, const Sets& sets) {
    const at::Tensor wide = plain(x), w = widened(weight), b = widened(bias), y = at::empty_like(wide);
    AT_DISPATCH_FLOATING_TYPES(wide.scalar_type(), "set_norm", [&] {
      for (int64_t i = 0; i < sets.blocks; ++i) {
        norms::normalise(sets.block(i), sets.statistics(mean, scale, i), w.data_ptr<scalar_t>(),
                         b.data_ptr<scalar_t>(), wide.data_ptr<scalar_t>() + sets.offset(i),
                         y.data_ptr<scalar_t>() + sets.offset(i));
      }
    });
    context->save_for_backward({x, weight, mean, scale, rows, sets.real});
    Sets without_tensor = sets;
    without_tensor.real.reset();
    keep(context, std::move(without_tensor));
    return y.to(x.scalar_type());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &mean = saved[2], &scale = saved[3], &rows = saved[4];
    Sets sets = kept<Sets>(context);
    sets.real = saved[5];
    const at::Tensor wide = plain(x), w = widened(weight), dy = plain(gradients[0]);
    const at::Tensor dx = at::empty_like(wide);
    Sums dw(size_t(sets.width)), db(dw.size());
    AT_DISPATCH_FLOATING_TYPES(wide.scalar_type(), "set_norm", [&] {
      for (int64_t i = 0; i < sets.blocks; ++i) {
        const norms::Block block = sets.block(i);
        const norms::SetStatistics of = sets.statistics(mean, scale, i);
        const scalar_t* const its_x = wide.data_ptr<scalar_t>() + sets.offset(i);
        const scalar_t* const its_dy = dy.data_ptr<scalar_t>() + sets.offset(i);
        const norms::GradientSums own = norms::gradient_sums(block, of, its_x, its_dy);
        const GradientMeans means = means_of(own, rows.data_ptr<double>()[i], sets, w.data_ptr<scalar_t>());
        norms::normalise_backward(block, of, w.data_ptr<scalar_t>(), means.g, means.gu, its_x, its_dy,
                                  dx.data_ptr<scalar_t>() + sets.offset(i));
        std::ranges::transform(db, own.dy, db.begin(), std::plus<>());
        std::ranges::transform(dw, own.dy_u, dw.begin(), std::plus<>());
      }
    });
    const auto as_weight = [&](const Sums& sums) {
      return at::tensor(sums, at::kDouble).to(weight.scalar_type());
    };
    const at::Tensor none;
    return {dx.to(x.scalar_type()), as_weight(dw), as_weight(db), none, none, none, none};
  }
};

// Of each block.
struct BlockStatistics {
  at::Tensor mean, variance;  // (blocks, H)
  at::Tensor rows;            // (blocks), real ones
};

BlockStatistics statistics_of(const at::Tensor& x, const Sets& sets) {
  const at::Tensor mean = at::empty({sets.blocks, sets.width}, at::kDouble), variance = at::empty_like(mean),
                   rows = at::empty({sets.blocks}, at::kDouble);
  const at::Tensor wide = plain(x.detach());
  AT_DISPATCH_FLOATING_TYPES(wide.scalar_type(), "set_norm", [&] {
    for (int64_t i = 0; i < sets.blocks; ++i)
      rows.data_ptr<double>()[i] = take_statistics(
          sets.block(i), sets, wide.data_ptr<scalar_t>() + sets.offset(i),
          mean.data_ptr<double>() + i * sets.width, variance.data_ptr<double>() + i * sets.width);
  });
  return {mean, variance, rows};
}

at::Tensor normalised(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps,
                      const Sets& sets, const BlockStatistics& of) {
  return SetNorm::apply(x, weight, bias, of.mean, at::rsqrt(of.variance + eps), of.rows, sets);
}

at::Tensor flat(const at::Tensor& real, int64_t positions) {
  if (!real.defined()) return real;
  RINGSIDE_CHECK_EQ(real.numel(), positions);
  return real.contiguous();
}

}  // namespace

at::Tensor group_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, int64_t groups,
                      double eps, const at::Tensor& real) {
  const int64_t samples = x.size(0), tokens = x.dim() == 2 ? 1 : x.size(1), width = x.size(-1);
  RINGSIDE_CHECK(groups >= 1 && width % groups == 0,
                 width << " features are no multiple of " << groups << " groups");
  const Sets sets{samples, tokens, width, width / groups, flat(real, samples * tokens)};
  return normalised(x, weight, bias, eps, sets, statistics_of(x, sets));
}

at::Tensor train_batch_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps,
                            const at::Tensor& real, ProcessGroup* group, const std::string& name,
                            BatchStatistics& statistics) {
  const int64_t width = x.size(-1), rows = x.numel() / width;
  const Sets sets{1, rows, width, 1, flat(real, rows), group, name};
  if (!statistics.mean.defined()) {
    const BlockStatistics taken = statistics_of(x, sets);
    statistics = {taken.mean[0], taken.variance[0], taken.rows[0].item<double>()};
  }
  return normalised(x, weight, bias, eps, sets,
                    {statistics.mean, statistics.variance, at::full({1}, statistics.count, at::kDouble)});
}

}  // namespace ringside::inline nn
