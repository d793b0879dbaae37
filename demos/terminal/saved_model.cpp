#include "saved_model.h"

#include <fmt/format.h>

#include <cstring>
#include <map>

#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"
#include "ringside/checkpoint/file_system.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

fs::path config_beside(const fs::path& folder) {
  const fs::path places[] = {folder / "config.json", folder.parent_path() / "config.json",
                             folder.parent_path() / "model" / "config.json"};
  std::error_code ignored;
  for (const fs::path& place : places)
    if (fs::exists(place, ignored)) return place;
  throw InputError(
      fmt::format("{}: a checkpoint has no sizes of heads; --config FILE names the model's config.json",
                  typed_path(folder)));
}

Checkpoint opened(const fs::path& folder, std::optional<int64_t> step) {
  if (step) return Checkpoint(disk(), folder, *step);
  Latest found = latest(disk(), folder);
  if (!found.checkpoint)
    throw CheckpointError(found.refused.empty() ? typed_path(folder) + ": no checkpoint in this folder"
                                                : found.refused.front());
  return std::move(*found.checkpoint);
}

// What lies where: the pieces of each tensor.
class SavedTensors {
 public:
  explicit SavedTensors(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {
    const Manifest& manifest = checkpoint.manifest();
    for (size_t i = 0; i < manifest.tensors.size(); ++i)
      places_[{manifest.tensors[i].name, manifest.tensors[i].kind}] = i;
  }

  // The fp32 copy of a bf16 parameter where there is one.
  std::vector<float> whole(const ParameterShape& shape) const {
    for (const char* kind : {"master", "parameter"}) {
      const auto found = places_.find({shape.name, kind});
      if (found == places_.end()) continue;
      if (checkpoint_.manifest().tensors[found->second].shape != shape.shape)
        throw InputError(
            fmt::format("'{}' has another shape in the checkpoint than in config.json", shape.name));
      return read(found->second);
    }
    throw InputError(fmt::format("the checkpoint has no '{}', which config.json asks for", shape.name));
  }

 private:
  std::vector<float> read(size_t tensor) const {
    const StateTensor& of = checkpoint_.manifest().tensors[tensor];
    std::vector<float> values(static_cast<size_t>(of.elements()));
    for (const StateRuns& piece : checkpoint_.manifest().pieces) {
      if (piece.tensor != tensor) continue;
      std::string bytes(static_cast<size_t>(piece.bytes), '\0');
      checkpoint_.read(piece, bytes);
      const char* from = bytes.data();
      for (const Stretches& run : piece.runs)
        for (int64_t i = 0; i < run.times; ++i, from += run.count * size_of(of.dtype))
          widen(from, of.dtype, run.count, &values[static_cast<size_t>(run.begin + i * run.step)]);
    }
    return values;
  }
  static void widen(const char* from, Dtype type, int64_t count, float* to) {
    if (type == Dtype::kFloat32) {
      std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
    } else if (type == Dtype::kBFloat16) {
      for (int64_t i = 0; i < count; ++i) {
        uint16_t bits = 0;
        std::memcpy(&bits, from + 2 * i, 2);
        to[i] = bf16_to_float(bits);
      }
    } else {
      throw InputError("the checkpoint's parameters are neither fp32 nor bf16");
    }
  }

  const Checkpoint& checkpoint_;
  std::map<std::pair<std::string, std::string>, size_t> places_;
};

}  // namespace

bool has_checkpoints(const fs::path& path) {
  return step_of_folder(path.filename().string()) >= 0 || !saved_steps(disk(), path).empty();
}

SavedModel read_saved_model(fs::path path, std::optional<int64_t> step, fs::path config) {
  if (const int64_t own = step_of_folder(path.filename().string()); own >= 0) {
    step = own;
    path = path.parent_path();
  }
  const Checkpoint checkpoint = opened(path, step);
  if (config.empty()) config = config_beside(path);
  SavedModel saved;
  saved.config = parse_pretrained_config(read_file(config, size_t{1} << 20), typed_path(config));
  saved.step = checkpoint.manifest().step;
  const SavedTensors tensors(checkpoint);
  try {
    for (const ParameterShape& shape : classifier_shapes(saved.config.model))
      saved.values.push_back(shape.repeats() ? std::vector<float>() : tensors.whole(shape));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}, {}: {}", typed_path(path), folder_of_step(saved.step), error.what()));
  }
  return saved;
}

}  // namespace ringside
