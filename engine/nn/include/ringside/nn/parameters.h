// What a model has by name, and what a Strategy sees of it: its parameters, as its layers declared them
// (torch-free, planner/declaration.h) and, beside that, the leaf tensors that the strategy puts there; its
// buffers; the hooks of its units.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include "ringside/base/sha256.h"
#include "ringside/comm/process_group.h"
#include "ringside/planner/parts.h"
#include "ringside/trace/trace.h"

namespace ringside::inline nn {

// The tensor that a layer computes with for a parameter it declared; undefined for one that is none.
using Leaves = std::function<at::Tensor(Parameter)>;
// The tensors, in the order of the declaration. Refers to the list.
Leaves leaves_of(const std::vector<at::Tensor>& tensors);

struct ParameterSet {
  std::vector<ParameterShape> shapes;  // of what this place has
  std::vector<at::Tensor> leaves;      // same order as shapes
  int units = 0;                       // what ZeRO-3 gathers together: 0 .. units-1, in forward order
  std::vector<std::string> unit_names;
  std::vector<Part> parts{};     // same order; none: this place has the whole model
  at::Device device = at::kCPU;  // of the leaves: where the model computes
  std::vector<bool> is_away{};   // (units) ZeRO-3: its parameters are not gathered; none: all are there

  // Empty leaves. Aggregate, so that a model without layers can fill in the rest itself.
  static ParameterSet of(const Declaration& model, const ModelPlace& place = {});
  // Which part of the whole parameter this place has; null: all of it.
  const Part* part_of(size_t parameter) const;
  // The tensor of a declared parameter; undefined for one that is none. UsageError where its unit is away.
  const at::Tensor& operator[](Parameter parameter) const;
  operator Leaves() const;                                      // refers to the set
  const at::Tensor& operator[](const std::string& name) const;  // InvariantError where there is none
};

std::vector<at::Tensor> gradients_in(const std::vector<at::Tensor>& leaves);  // .grad of each
at::Tensor joined(const std::vector<at::Tensor>& tensors);                    // a copy: (elements)

// The initial value of a parameter, in contiguous fp32, drawn from a RandomStream of its own so that it
// depends neither on the ranks nor on LibTorch: biases (NAME.bias) 0, other vectors and single values 1,
// as norms have it, all else normal(0, 0.02).
void initialize(at::Tensor out, const ParameterShape& shape, uint64_t seed);
// Of whole parameters, each a new tensor.
std::vector<at::Tensor> initial_values(const std::vector<ParameterShape>& shapes, uint64_t seed);
// The part of it; padding is 0. out: (part.numel()) or of the part's shape, as below.
void initialize_part(const at::Tensor& out, const ParameterShape& whole, const Part& part, uint64_t seed);
// What the part has of a whole tensor; padding is 0.
void copy_part(const at::Tensor& out, const at::Tensor& whole, const Part& part);

// Adds the name and the bytes of a contiguous tensor.
void add_to(Sha256& hash, const std::string& name, const at::Tensor& tensor);

// Tensors that are state of a model and are not trained: a norm's running statistics, for one. What follows
// from the configuration alone (rotary table, causal mask) is none of them.
class Buffers {
 public:
  Buffers() = default;
  // At their initial values, each booked as "buffers" under its name.
  explicit Buffers(const std::vector<BufferShape>& declared, at::Device device = at::kCPU);

  const at::Tensor& operator[](Buffer buffer) const { return tensors_[size_t(buffer.index)]; }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<bool>& rank_local() const { return rank_local_; }  // same order; BufferShape::rank_local
  const std::vector<at::Tensor>& tensors() const { return tensors_; }  // same order as names

  // Every rank takes rank 0's values. Collective.
  void load(ProcessGroup& group);
  // A row of TensorHash for each (trace/training_rows.h), as Strategy::note_hashes has for parameters.
  void note_hashes(Recorder& recorder, int64_t step) const;

 private:
  std::vector<std::string> names_;
  std::vector<bool> rank_local_;
  std::vector<at::Tensor> tensors_;
};

// Where a model tells its surroundings which unit it is about to use. ZeRO-3
// gathers and drops parameters here; the others do nothing. Between the two calls of forward, and in the
// backward of what it computed there, a model may read the unit's own parameters and no others. A unit may
// run several times in a micro-batch.
class UnitHooks {
 public:
  virtual ~UnitHooks() = default;
  virtual void before_forward(int unit) {}
  // May register a hook on the output, which then runs before the unit's backward.
  virtual at::Tensor after_forward(int unit, at::Tensor output) { return output; }
  // True once a step for a weight to whose gradient nothing has been added. Its .grad is memory then, of
  // whatever values: who asks writes all of it, in place of a tensor that backward would add to it.
  virtual bool take_fresh_gradient(const at::Tensor& weight) { return false; }
  // Around a forward that backward runs again (nn/recompute.h), after what after_forward registered has run:
  // what the unit's backward needs is there already.
  virtual void before_recompute(int unit) {}
  virtual void after_recompute(int unit) {}
};

}  // namespace ringside::inline nn
