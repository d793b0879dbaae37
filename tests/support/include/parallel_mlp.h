// Two linear layers cut over the ranks of a row, one behind the other: y = W2 silu(W1 x + b1) + b2.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "ringside/nn/layers.h"
#include "ringside/nn/product.h"
#include "ringside/nn/tensor_parallel.h"
#include "ringside/world/world.h"

namespace ringside::testing {

inline constexpr int64_t kIn = 5, kHidden = 7, kOut = 3;  // kHidden does not divide by the ranks of a row
// Shapes of the whole parameters: W1, b1, W2, b2.
inline const std::vector<std::vector<int64_t>> kWhole = {{kHidden, kIn}, {kHidden}, {kOut, kHidden}, {kOut}};

struct Mlp {
  LinearLayer up, down;
  Declaration model;  // whole
  TensorParallel tp;
  ParameterSet set;  // without leaves
  explicit Mlp(const TensorParallel& computed) : tp(computed) {
    model.begin_unit("mlp", "mlp.");
    up.declare(model, "up", kHidden, kIn, true, LinearLayer::by_outputs());
    down.declare(model, "down", kOut, kHidden, true, LinearLayer::by_inputs());
    set = ParameterSet::of(model, tp.place());
  }
  at::Tensor forward(const at::Tensor& x) const {
    const auto part_of_y = [&](const at::Tensor& all, const PartHere& part) {
      return linear_product(at::silu(output_of(up, part.leaves, all)), part.leaves(down.weight));
    };
    return tp.sum_of_parts({set, set.unit_names[0]}, x, part_of_y) + set[down.bias];
  }
};

// This rank's part of a whole parameter.
inline at::Tensor part_of_value(const at::Tensor& whole, const ParameterSet& set, size_t parameter) {
  const Part* part = set.part_of(parameter);
  if (part == nullptr) return whole.clone();
  const at::Tensor out = at::empty(part->shape, whole.options());
  copy_part(out, whole, *part);
  return out;
}

// The part of place `place` of `places` of one dimension; -1: all.
inline at::Tensor cut(const at::Tensor& t, int64_t dim, int places, int place) {
  if (dim < 0) return t;
  const int64_t begin = place * t.size(dim) / places, end = (place + 1) * t.size(dim) / places;
  return t.narrow(dim, begin, end - begin);
}
inline constexpr int64_t kCutIn[] = {0, 0, 1, -1};  // the dimension of W1, b1, W2, b2

// The ranks of a row share an MLP and see its batch; those of a column have the same part of it.
struct RowsAndColumns {
  Mesh mesh;
  int row;
  ProcessGroup& rows;
  ProcessGroup& columns;
  RowsAndColumns(World& world, int width)
      : mesh({{"dp", world.size() / width}, {"tp", width}}),
        row(mesh.coordinate(world.rank(), "dp")),
        rows(world.group(mesh, {"tp"})),
        columns(world.group(mesh, {"dp"})) {}
};

}  // namespace ringside::testing
