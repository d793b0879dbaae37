// Layers cut over the places of "tp": each computes a part of a region, and the parts are added up.
// Shoeybi et al. 2019, arXiv:1909.08053, section 3.
//
//   y = g( sum over places r of compute_r(f(x)) )
//   compute_r: W1 cut along its outputs, what works element by element or head by head, W2 along its inputs
//
//   f: forward x                      backward sum over places of dx_r
//   g: forward sum over places        backward dy
//
// f and g are an all-reduce each of the activations' elements, in one direction. With `sequence` a place
// keeps its own tokens alone between regions: f gathers them, g is a reduce-scatter, each the other's
// backward (Korthikanti et al. 2022, arXiv:2205.05198, section 4.2.2). What computes there with whole
// parameters, a norm, has gradients of its own tokens; they are added over the places before anyone sees
// them.
//
// Every place runs the same regions in the same order, on the same batch. Sums are over places 0 to n-1 in
// fp32 and rounded once, so results are deterministic and equal on all places. One process that computes
// every part itself ("emulated") has the same bits; layers that are not cut differ by the order of sums
// alone.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/nn/parameters.h"

namespace ringside::inline nn {

// The part of a region that is computed: the place it belongs to, and the place's part of each leaf.
struct PartHere {
  int place = 0;
  Leaves leaves;
};
using ComputePart = std::function<at::Tensor(const PartHere& part)>;
using ComputeOnPart = std::function<at::Tensor(const at::Tensor& x, const PartHere& part)>;

class TensorParallel {
 public:
  TensorParallel() = default;  // nothing is cut: no operation more than the layers'
  // This rank computes the part of its place; null: nothing is cut. The group must live until backward is
  // over.
  TensorParallel(ProcessGroup* group, bool sequence);
  // Leaves are whole, and every part is computed here, one after another.
  static TensorParallel emulated(int places, bool sequence);

  int places() const { return places_; }
  bool sequence() const { return sequence_; }
  ModelPlace place() const;  // of the leaves that it keeps
  // Tokens as they are computed: with sequence further ones of id 0, so that all places have as many.
  at::Tensor padded(const at::Tensor& tokens) const;  // (B, T) -> (B, T')
  int64_t padded_tokens(int64_t tokens) const;        // T -> T'

  // In the shapes: T_r is T, with sequence the tokens of one place. unit: for the calls' tags.
  struct Region {
    const ParameterSet& set;
    const std::string& unit;
  };
  at::Tensor sum(const Region& region, const ComputePart& compute) const;  // (B, T, H) -> (B, T_r, H)
  at::Tensor sum_of_parts(const Region& region, const at::Tensor& x,       // (B, T_r, H) -> same
                          const ComputeOnPart& compute) const;
  // A region without its sum: each place keeps its part, as of a vocabulary that is cut. Emulated: (places,
  // B,
  // ...), the parts of all.
  at::Tensor parts(const Region& region, const at::Tensor& x,  // (B, T_r, H) -> the part's shape
                   const ComputeOnPart& compute) const;
  // Between regions, with whole parameters: token by token.
  at::Tensor by_token(const Region& region, const at::Tensor& x,  // (B, T_r, H) -> same
                      const ComputeOnPart& compute) const;
  // For what all places compute alike behind the last region.
  at::Tensor all_tokens(const Region& region, const at::Tensor& x) const;  // (B, T_r, H) -> (B, T, H)

  // What parts() gave, part by part: this place's alone, emulated those of places 0 to n-1; and so one behind
  // the other again.
  std::vector<at::Tensor> apart(const at::Tensor& parts) const;
  at::Tensor together(const std::vector<at::Tensor>& parts) const;
  int first_place() const { return group_ == nullptr ? 0 : group_->rank(); }  // of those that are apart
  // Over all places, without a graph: of each place one tensor of this shape.
  at::Tensor reduced(const std::vector<at::Tensor>& parts, ReduceOp op, const Tag& tag) const;

 private:
  std::vector<at::Tensor> computed(const Region& region, const at::Tensor& x,
                                   const ComputeOnPart& compute) const;  // f, then each part here
  at::Tensor summed(const Region& region, const std::vector<at::Tensor>& parts) const;  // g
  at::Tensor spread(const at::Tensor& x, const std::string& unit) const;  // f; emulated: (places, B, T, H)
  PartHere part_of(const ParameterSet& set, int place) const;

  int places_ = 1;
  bool sequence_ = false;
  ProcessGroup* group_ = nullptr;  // null, with places: emulated
};

}  // namespace ringside::inline nn
