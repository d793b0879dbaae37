#include "saved_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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
  if (step) {
    const std::vector<int64_t> steps = saved_steps(disk(), folder);
    if (std::ranges::count(steps, *step) == 0)
      throw CheckpointError(fmt::format("{}: no checkpoint of step {}; there are: {}", typed_path(folder),
                                        *step, fmt::join(steps, ", ")));
    return Checkpoint(disk(), folder, *step);
  }
  Latest found = latest(disk(), folder);
  if (!found.checkpoint)
    throw CheckpointError(found.refused.empty() ? typed_path(folder) + ": no checkpoint in this folder"
                                                : found.refused.front());
  return std::move(*found.checkpoint);
}

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
  try {
    for (const ParameterShape& shape : classifier_shapes(saved.config.model))
      saved.values.push_back(shape.repeats() ? std::vector<float>()
                                             : whole_parameter(checkpoint, shape.name, shape.shape));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}, read as config.json says: {}", typed_path(path), error.what()));
  }
  return saved;
}

}  // namespace ringside
