#include "ringside/nn/parameters.h"

#include <algorithm>

#include <c10/core/GradMode.h>
#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/trace/training_rows.h"

namespace ringside::inline nn {
namespace {

constexpr double kDeviation = 0.02;  // of initial matrices: Qwen2's initializer_range

}  // namespace

Leaves leaves_of(const std::vector<at::Tensor>& tensors) {
  return [&tensors](Parameter p) { return p.index < 0 ? at::Tensor() : tensors[size_t(p.index)]; };
}

ParameterSet ParameterSet::of(const Declaration& model, const ModelPlace& place) {
  ParameterSet set{shapes_at(model.shapes(), place), std::vector<at::Tensor>(model.shapes().size()),
                   int(model.unit_names().size()), model.unit_names()};
  if (place.empty()) return set;
  set.parts = parts_at(model.shapes(), place);
  return set;
}

const Part* ParameterSet::part_of(size_t parameter) const {
  return parts.empty() || parts[parameter].is_whole() ? nullptr : &parts[parameter];
}

const at::Tensor& ParameterSet::operator[](Parameter parameter) const {
  static const at::Tensor none;
  if (parameter.index < 0) return none;
  const auto p = size_t(parameter.index);
  const auto unit = size_t(shapes[p].unit);
  if (!is_away.empty() && is_away[unit])
    throw UsageError(
        "{} is read outside its unit '{}', and stage 3 has gathered it there alone: declare it in the unit "
        "that reads it, or take stage 0 to 2",
        shapes[p].name, unit_names[unit]);
  return leaves[p];
}

ParameterSet::operator Leaves() const {
  return [this](Parameter parameter) { return (*this)[parameter]; };
}

const at::Tensor& ParameterSet::operator[](const std::string& name) const {
  const auto found = std::ranges::find(shapes, name, &ParameterShape::name);
  RINGSIDE_CHECK(found != shapes.end(), "no parameter " << name);
  return leaves[size_t(found - shapes.begin())];
}

std::vector<at::Tensor> gradients_in(const std::vector<at::Tensor>& leaves) {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& leaf : leaves) gradients.push_back(leaf.grad());
  return gradients;
}

at::Tensor joined(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& one : tensors) flat.push_back(one.detach().flatten());
  return at::cat(flat);
}

void initialize(at::Tensor out, const ParameterShape& shape, uint64_t seed) {
  at::NoGradGuard no_grad;
  const bool is_bias = shape.name.ends_with(".bias");
  if (is_bias || shape.shape.size() < 2) {
    out.fill_(is_bias ? 0.0 : 1.0);
    return;
  }
  RINGSIDE_CHECK(out.is_contiguous(), shape.name);
  RandomStream stream(seed, shape.repeats() ? shape.tied_to : shape.name);
  std::generate_n(out.data_ptr<float>(), out.numel(), [&] { return float(kDeviation * stream.normal()); });
}

std::vector<at::Tensor> initial_values(const std::vector<ParameterShape>& shapes, uint64_t seed) {
  std::vector<at::Tensor> values;
  for (const ParameterShape& shape : shapes)
    initialize(values.emplace_back(at::empty(shape.shape, at::kFloat)), shape, seed);
  return values;
}

void initialize_part(const at::Tensor& out, const ParameterShape& whole, const Part& part, uint64_t seed) {
  const at::Tensor all = at::empty(whole.shape, at::kFloat);
  initialize(all, whole, seed);
  copy_part(out, all, part);
}

void copy_part(const at::Tensor& out, const at::Tensor& whole, const Part& part) {
  const at::NoGradGuard no_grad;
  const at::Tensor from = whole.contiguous().view({-1}), to = out.zero_().view({-1});
  for_each_run(part, 0, part.numel(), [&](int64_t in_part, int64_t in_whole, int64_t count) {
    to.narrow(0, in_part, count).copy_(from.narrow(0, in_whole, count));
  });
}

void add_to(Sha256& hash, const std::string& name, const at::Tensor& tensor) {
  hash.update(name);
  const at::Tensor read = on_host(tensor);
  hash.update(read.data_ptr(), read.nbytes());
}

Buffers::Buffers(const std::vector<BufferShape>& declared, at::Device device) {
  for (const BufferShape& buffer : declared) {
    const MemoryScope scope(Category::kBuffers, "", buffer.name);
    names_.push_back(buffer.name);
    rank_local_.push_back(buffer.rank_local);
    tensors_.push_back(at::full(buffer.shape, buffer.initial, at::TensorOptions(at::kFloat).device(device)));
  }
}

void Buffers::load(ProcessGroup& group) {
  for (size_t i = 0; i < tensors_.size(); ++i)
    group.broadcast(view_of(tensors_[i]), 0, {"initial", names_[i]})->wait();
}

void Buffers::note_hashes(Recorder& recorder, int64_t step) const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Sha256 hash;
    const at::Tensor read = on_host(tensors_[i]);
    hash.update(read.data_ptr(), read.nbytes());
    record_row<TensorHash>(
        recorder, {std::string(to_string(Category::kBuffers)), names_[i], step, hash.hex().substr(0, 16)});
  }
}

}  // namespace ringside::inline nn
