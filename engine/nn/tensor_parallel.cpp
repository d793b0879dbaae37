#include "ringside/nn/tensor_parallel.h"

#include "ringside/nn/collective_gradients.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/planner/classifier_layers.h"
#include "ringside/tensor/passage.h"

namespace ringside::inline nn {
namespace {

at::Tensor same(const at::Tensor& x) { return x; }

TensorFunction all_reduce(ProcessGroup& group, const Tag& tag) {
  return [&group, tag](const at::Tensor& x) { return whole_sum(x, group, tag); };
}

// Tokens by place: (B, n c, H) <-> (n, B, c, H), contiguous.
at::Tensor to_chunks(const at::Tensor& x, int64_t n) {
  return x.reshape({x.size(0), n, x.size(1) / n, x.size(2)}).transpose(0, 1).contiguous();
}
at::Tensor from_chunks(const at::Tensor& chunks) {
  return chunks.transpose(0, 1).reshape({chunks.size(1), -1, chunks.size(3)}).contiguous();
}

TensorFunction gather_tokens(ProcessGroup& group, const Tag& tag) {  // (B, c, H) -> (B, n c, H)
  return [&group, tag](const at::Tensor& x) {
    return from_chunks(all_rows(x, group, tag).view({group.size(), x.size(0), x.size(1), x.size(2)}));
  };
}
TensorFunction scatter_tokens(ProcessGroup& group, const Tag& tag) {  // (B, n c, H) -> (B, c, H)
  return [&group, tag](const at::Tensor& x) {
    return own_sum(to_chunks(x, group.size()).flatten(0, 1), group, tag);
  };
}

// parts: (n, ...) -> (...), as a collective adds (comm/accumulator.h).
at::Tensor sum_in_order(const at::Tensor& parts) {
  at::Tensor sum = parts[0].to(parts.scalar_type() == at::kDouble ? at::kDouble : at::kFloat, false, true);
  for (int64_t r = 1; r < parts.size(0); ++r) sum.add_(parts[r]);
  return sum.to(parts.scalar_type());
}
TensorFunction repeat(int64_t n) {
  return [n](const at::Tensor& x) { return at::stack(std::vector<at::Tensor>(size_t(n), x)); };
}
at::Tensor for_each_part(const at::Tensor& x, int64_t n) { return passage(x, repeat(n), sum_in_order); }

// This place's rows or columns of a whole leaf; padding is 0.
at::Tensor cut_out(at::Tensor leaf, const Part& part) {
  for (size_t d = 0; d < part.shape.size(); ++d) {
    if (part.shape[d] == part.whole[d]) continue;
    const auto dim = int64_t(d);
    std::vector<at::Tensor> pieces;
    int64_t room = part.shape[d];
    for (const Stretch& stretch : part.stretches[d]) {
      pieces.push_back(leaf.narrow(dim, stretch.in_whole, stretch.count));
      room -= stretch.count;
    }
    std::vector<int64_t> rest = leaf.sizes().vec();
    rest[d] = room;
    if (room > 0) pieces.push_back(at::zeros(rest, leaf.options().requires_grad(false)));
    leaf = at::cat(pieces, dim);
  }
  return leaf;
}

}  // namespace

TensorParallel::TensorParallel(ProcessGroup* group, bool sequence)
    : places_(group == nullptr ? 1 : group->size()), sequence_(sequence && places_ > 1), group_(group) {}

TensorParallel TensorParallel::emulated(int places, bool sequence) {
  TensorParallel all;
  all.places_ = places, all.sequence_ = sequence && places > 1;
  return all;
}

ModelPlace TensorParallel::place() const {
  if (group_ == nullptr || places_ == 1) return {};
  return {{kTensorParallel, places_, group_->rank()}};
}

int64_t TensorParallel::padded_tokens(int64_t tokens) const {
  return sequence_ ? (tokens + places_ - 1) / places_ * places_ : tokens;
}

at::Tensor TensorParallel::padded(const at::Tensor& tokens) const {
  const int64_t more = padded_tokens(tokens.size(1)) - tokens.size(1);
  return more == 0 ? tokens : at::constant_pad_nd(tokens, {0, more}, 0);
}

PartHere TensorParallel::part_of(const ParameterSet& set, int place) const {
  if (group_ != nullptr || places_ == 1) return {group_ == nullptr ? 0 : group_->rank(), set};
  return {place, [&set, in = ModelPlace{{kTensorParallel, places_, place}}](Parameter parameter) {
            if (parameter.index < 0) return at::Tensor();
            const ParameterShape& whole = set.shapes[size_t(parameter.index)];
            return cut_out(set[parameter], ringside::part_of(whole, in));
          }};
}

// f
at::Tensor TensorParallel::spread(const at::Tensor& x, const std::string& unit) const {
  if (group_ == nullptr) return for_each_part(x, places_);
  const Tag there{"activations", unit}, back{"activation gradients", unit};
  return sequence_ ? passage(x, gather_tokens(*group_, there), scatter_tokens(*group_, back))
                   : passage(x, same, all_reduce(*group_, back));
}

at::Tensor TensorParallel::summed(const Region& region, const std::vector<at::Tensor>& parts) const {
  if (group_ == nullptr) return passage(at::stack(parts), sum_in_order, repeat(places_));
  const Tag there{"activations", region.unit}, back{"activation gradients", region.unit};
  return sequence_ ? passage(parts[0], scatter_tokens(*group_, there), gather_tokens(*group_, back))
                   : passage(parts[0], all_reduce(*group_, there), same);
}

at::Tensor TensorParallel::sum(const Region& region, const ComputePart& compute) const {
  if (places_ == 1) return compute(part_of(region.set, 0));
  std::vector<at::Tensor> parts;
  for (int place = 0; place < (group_ == nullptr ? places_ : 1); ++place)
    parts.push_back(compute(part_of(region.set, place)));
  return summed(region, parts);
}

std::vector<at::Tensor> TensorParallel::computed(const Region& region, const at::Tensor& x,
                                                 const ComputeOnPart& compute) const {
  std::vector<at::Tensor> parts = apart(spread(x, region.unit));
  for (size_t i = 0; i < parts.size(); ++i) parts[i] = compute(parts[i], part_of(region.set, int(i)));
  return parts;
}

at::Tensor TensorParallel::sum_of_parts(const Region& region, const at::Tensor& x,
                                        const ComputeOnPart& compute) const {
  if (places_ == 1) return compute(x, part_of(region.set, 0));
  return summed(region, computed(region, x, compute));
}

at::Tensor TensorParallel::parts(const Region& region, const at::Tensor& x,
                                 const ComputeOnPart& compute) const {
  return together(computed(region, x, compute));
}

std::vector<at::Tensor> TensorParallel::apart(const at::Tensor& parts) const {
  return group_ == nullptr ? parts.unbind(0) : std::vector<at::Tensor>{parts};
}

at::Tensor TensorParallel::together(const std::vector<at::Tensor>& parts) const {
  return group_ == nullptr ? at::stack(parts) : parts[0];
}

at::Tensor TensorParallel::reduced(const std::vector<at::Tensor>& parts, ReduceOp op, const Tag& tag) const {
  if (group_ == nullptr)
    return op == ReduceOp::kMax ? at::stack(parts).amax(0) : sum_in_order(at::stack(parts));
  at::Tensor all = parts[0].clone(at::MemoryFormat::Contiguous);
  group_->all_reduce_now(view_of(all), tag, op);
  return all;
}

at::Tensor TensorParallel::by_token(const Region& region, const at::Tensor& x,
                                    const ComputeOnPart& compute) const {
  if (!sequence_) return compute(x, {0, region.set});
  if (group_ != nullptr) {
    const Tag tag{"norm gradients", region.unit};
    // The node adds up what compute sends back to x before anything else is added to it, as the emulation
    // does.
    return compute(passage(x, same, same),
                   {group_->rank(), [&, tag](Parameter parameter) {
                      const at::Tensor& leaf = region.set[parameter];
                      return leaf.defined() ? passage(leaf, same, all_reduce(*group_, tag)) : leaf;
                    }});
  }
  const int64_t n = places_;
  const TensorFunction in_chunks = [n](const at::Tensor& t) { return to_chunks(t, n); };
  std::vector<std::vector<at::Tensor>> copies(region.set.leaves.size());  // of each leaf, one a place
  const auto own = passage(x, in_chunks, from_chunks).unbind(0);
  std::vector<at::Tensor> parts;
  for (int place = 0; place < places_; ++place) {
    const Leaves leaves = [&](Parameter parameter) {
      if (parameter.index < 0) return at::Tensor();
      auto& of_leaf = copies[size_t(parameter.index)];
      if (of_leaf.empty()) of_leaf = for_each_part(region.set[parameter], n).unbind(0);
      return of_leaf[size_t(place)];
    };
    parts.push_back(compute(own[size_t(place)], {place, leaves}));
  }
  return passage(at::stack(parts), from_chunks, in_chunks);
}

at::Tensor TensorParallel::all_tokens(const Region& region, const at::Tensor& x) const {
  if (!sequence_ || group_ == nullptr) return x;
  const int64_t place = group_->rank(), count = x.size(1);
  return passage(x, gather_tokens(*group_, {"activations", region.unit}),
                 [=](const at::Tensor& dy) { return dy.narrow(1, place * count, count).contiguous(); });
}

}  // namespace ringside::inline nn
