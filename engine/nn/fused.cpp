#include "ringside/nn/fused.h"

#include <ATen/Dispatch.h>

#include <cmath>
#include <utility>

#include "graph_node.h"
#include "ringside/base/check.h"
#include "ringside/fused/heads.h"
#include "ringside/fused/softmax.h"
#include "ringside/fused/swiglu.h"
#include "ringside/nn/norm.h"  // plain
#include "ringside/nn/product.h"
#include "ringside/nn/split_backward.h"
#include "ringside/tensor/where.h"

namespace ringside::inline nn {
namespace {

struct Linear : torch::autograd::Function<Linear> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            at::TensorList bias, UnitHooks* hooks) {
    context->save_for_backward({weight.requires_grad() ? x : at::Tensor(), weight});
    context->saved_data["bias"] = !bias.empty();
    keep(context, hooks);
    return bias.empty() ? at::linear(x, weight) : at::linear(x, weight, bias[0]);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], dy = gradients[0].flatten(0, -2);
    variable_list result(4);
    if (context->needs_input_grad(0))
      result[0] = at::mm(dy, weight).view(with_last(gradients[0], {weight.size(1)}));
    if (context->saved_data["bias"].toBool() && context->needs_input_grad(2)) result[2] = dy.sum(0);
    if (!context->needs_input_grad(1)) return result;
    result[1] = weight_gradient(dy, x.flatten(0, -2), weight, kept<UnitHooks*>(context));
    return result;
  }

  // dY^T X. A gradient that nobody else refers to becomes the .grad where there is none: here the memory that
  // was the .grad before.
  static at::Tensor weight_gradient(const at::Tensor& dy, const at::Tensor& x, at::Tensor weight,
                                    UnitHooks* hooks) {
    if (hooks == nullptr || !weight.is_leaf() || !hooks->take_fresh_gradient(weight))
      return at::mm(dy.t(), x);
    at::Tensor place = std::exchange(weight.mutable_grad(), {});
    return at::mm_out(place, dy.t(), x).detach();
  }
};

struct Swiglu : torch::autograd::Function<Swiglu> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& gate, const at::Tensor& up) {
    const at::Tensor g = plain(gate), u = plain(up), y = at::empty_like(g);
    AT_DISPATCH_FLOATING_TYPES(g.scalar_type(), "swiglu", [&] {
      run(fused::SwigluForward<scalar_t>{g.numel(), g.data_ptr<scalar_t>(), u.data_ptr<scalar_t>(),
                                         y.data_ptr<scalar_t>()});
    });
    context->save_for_backward({gate, up});
    return y.to(gate.scalar_type());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor g = plain(saved[0]), u = plain(saved[1]), dy = plain(gradients[0]);
    const at::Tensor dg = at::empty_like(g), du = at::empty_like(u);
    AT_DISPATCH_FLOATING_TYPES(g.scalar_type(), "swiglu", [&] {
      run(fused::SwigluBackward<scalar_t>{g.numel(), g.data_ptr<scalar_t>(), u.data_ptr<scalar_t>(),
                                          dy.data_ptr<scalar_t>(), dg.data_ptr<scalar_t>(),
                                          du.data_ptr<scalar_t>()});
    });
    return {dg.to(saved[0].scalar_type()), du.to(saved[1].scalar_type())};
  }
};

fused::Turn turn_of(const RotaryTable& table) {
  return {table.cos.data_ptr<float>(), table.sin.data_ptr<float>()};
}

fused::Heads heads_of(const Packing& packing, int64_t width, int64_t D) {
  fused::Heads of{packing.samples, packing.tokens, width / D, D};
  if (packing.rows.defined()) of.rows = packing.rows.data_ptr<int64_t>(), of.row_count = packing.rows.numel();
  return of;
}

// (B, T, A D) or (R, A D) -> (B, A, T, D)
at::Tensor apart(const at::Tensor& together, const Packing& packing, int64_t D,
                 const fused::Turn& turn = {}) {
  const at::Tensor x = plain(together);
  const fused::Heads of = heads_of(packing, x.size(-1), D);
  RINGSIDE_CHECK_EQ(x.numel(), x.size(-1) * (of.rows == nullptr ? of.samples * of.tokens : of.row_count));
  const at::Tensor y = at::empty({of.samples, of.heads, of.tokens, D}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "heads", [&] {
    run(fused::HeadsApart<scalar_t>{of, turn, x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>()});
  });
  return y.to(together.scalar_type());
}

// (B A, T, D), or more rows of fewer heads: (B, T, A D) or (R, A D)
at::Tensor together(const at::Tensor& apart, at::IntArrayRef shape, const Packing& packing, int64_t D,
                    const fused::Turn& turn = {}) {
  const at::Tensor y = plain(apart), x = at::empty(shape, y.options());
  const fused::Heads of = heads_of(packing, shape.back(), D);
  AT_DISPATCH_FLOATING_TYPES(y.scalar_type(), "heads", [&] {
    run(fused::HeadsTogether<scalar_t>{of, turn, y.data_ptr<scalar_t>(), x.data_ptr<scalar_t>()});
  });
  return x.to(apart.scalar_type());
}

fused::Mask mask_of(const at::Tensor& mask) {
  RINGSIDE_CHECK_EQ(mask.stride(-1), 1);
  return {mask.data_ptr<float>(), mask.stride(-2), mask.dim() == 4 ? mask.stride(0) : 0};
}

using Shape = std::vector<int64_t>;

fused::Scores scores_of(const Packing& packing, int64_t width, int64_t D) {
  return {packing.samples, width / D, packing.tokens, 1 / std::sqrt(double(D))};
}

struct Attention : torch::autograd::Function<Attention> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v, const FusedAttention& how) {
    const Packing packing = how.packing.rows.defined() ? how.packing : Packing{q.size(0), q.size(1)};
    const int64_t B = packing.samples, T = packing.tokens, D = how.head_size, width = q.size(-1);
    const int64_t A = width / D, shared = k.size(-1) / D;
    const Shape of_queries{B * shared, A / shared * T, D}, of_keys{B * shared, T, D};
    const fused::Turn turn = turn_of(how.table);
    const at::Tensor Q = apart(q, packing, D, turn).view(of_queries),
                     K = apart(k, packing, D, turn).view(of_keys), V = apart(v, packing, D).view(of_keys);
    const at::Tensor scores = plain(matrix_product(Q, K.transpose(1, 2)));
    AT_DISPATCH_FLOATING_TYPES(scores.scalar_type(), "softmax", [&] {
      auto* const values = scores.data_ptr<scalar_t>();
      run(fused::SoftmaxForward<scalar_t>{scores_of(packing, width, D), mask_of(how.mask), values, values});
    });
    const at::Tensor P = scores.to(q.scalar_type());
    if (how.probabilities != nullptr) *how.probabilities = P.view({B, A, T, T});
    context->save_for_backward({Q, K, V, P, how.table.cos, how.table.sin, packing.rows});
    context->saved_data["q"] = q.sizes().vec();
    context->saved_data["k"] = k.sizes().vec();
    return together(matrix_product(P, V), q.sizes(), packing, D);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &Q = saved[0], &K = saved[1], &V = saved[2], &P = saved[3];
    const Shape of_q = context->saved_data["q"].toIntVector(), of_k = context->saved_data["k"].toIntVector();
    const int64_t D = Q.size(2);
    const Packing packing{K.size(0) / (of_k.back() / D), K.size(1), saved[6]};
    const fused::Turn turn = turn_of({saved[4], saved[5]});
    const at::Tensor dO = apart(gradients[0], packing, D).view(Q.sizes());
    const at::Tensor dV = matrix_product(P.transpose(1, 2), dO);
    const at::Tensor p = plain(P), wide = plain(matrix_product(dO, V.transpose(1, 2)));  // dP, then dS
    AT_DISPATCH_FLOATING_TYPES(wide.scalar_type(), "softmax", [&] {
      auto* const values = wide.data_ptr<scalar_t>();
      run(fused::SoftmaxBackward<scalar_t>{scores_of(packing, of_q.back(), D), p.data_ptr<scalar_t>(), values,
                                           values});
    });
    const at::Tensor dS = wide.to(dO.scalar_type());
    return {together(matrix_product(dS, K), of_q, packing, D, turn),
            together(matrix_product(dS.transpose(1, 2), Q), of_k, packing, D, turn),
            together(dV, of_k, packing, D), at::Tensor()};
  }
};

}  // namespace

bool has_fused_loops(const at::Tensor& x) { return x.is_cpu() && view_device(x) == Device::kCpu; }

at::Tensor fused_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                        UnitHooks* hooks) {
  if (x.scalar_type() == at::kBFloat16 || WeightGradients::current() != nullptr)
    return linear_product(x, weight, bias);
  return Linear::apply(x, weight, none_or_one(bias), hooks);
}

at::Tensor fused_swiglu(const at::Tensor& gate, const at::Tensor& up) { return Swiglu::apply(gate, up); }

at::Tensor fused_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const FusedAttention& how) {
  return Attention::apply(q, k, v, how);
}

}  // namespace ringside::inline nn
