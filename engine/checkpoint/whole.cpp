#include "ringside/checkpoint/whole.h"

#include <fmt/format.h>

#include <cstring>

#include "ringside/base/error.h"

namespace ringside::inline checkpoint {
namespace {

constexpr char kMaster[] = "master", kParameter[] = "parameter";  // data_parallel/named_state.h

const StateTensor* find(const Manifest& manifest, const std::string& name) {
  const StateTensor* found = nullptr;
  for (const StateTensor& tensor : manifest.tensors) {
    if (tensor.name != name) continue;
    if (tensor.kind == kMaster) return &tensor;
    if (tensor.kind == kParameter) found = &tensor;
  }
  return found;
}

}  // namespace

std::vector<float> whole_parameter(const Checkpoint& checkpoint, const std::string& name,
                                   const std::vector<int64_t>& shape) {
  const Manifest& manifest = checkpoint.manifest();
  const StateTensor* const tensor = find(manifest, name);
  if (tensor == nullptr || tensor->shape != shape || tensor->dtype != Dtype::kFloat32)
    throw InputError(fmt::format("{}: no parameter '{}' of this model: the checkpoint is of another one",
                                 folder_of_step(manifest.step), name));
  std::vector<float> values(static_cast<size_t>(tensor->elements()));
  const auto place = static_cast<size_t>(tensor - manifest.tensors.data());
  for (const StateRuns& piece : manifest.pieces) {
    if (piece.tensor != place) continue;
    std::vector<float> data(static_cast<size_t>(piece.bytes) / sizeof(float));
    checkpoint.read(piece, {reinterpret_cast<char*>(data.data()), static_cast<size_t>(piece.bytes)});
    const float* from = data.data();
    for (const Stretches& run : piece.runs)
      for (int64_t i = 0; i < run.times; ++i, from += run.count)
        std::memcpy(values.data() + run.begin + i * run.step, from,
                    static_cast<size_t>(run.count) * sizeof(float));
  }
  return values;
}

}  // namespace ringside::inline checkpoint
