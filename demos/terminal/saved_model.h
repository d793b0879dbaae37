// The parameters of a checkpoint, whole and in fp32, in the order of the model's declaration.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "ringside/checkpoint/load.h"
#include "ringside/pretrained/pretrained.h"

namespace ringside {

// Whether it is a checkpoint, or a folder of some.
bool has_checkpoints(const std::filesystem::path& path);

struct SavedModel {
  PretrainedConfig config;
  int64_t step = 0;
  std::vector<std::vector<float>>
      values;  // of each of classifier_shapes(config.model); the master copy's where there is one
};
// config: config.json of the model; empty: beside the checkpoints, or in the folder "model" there. InputError
// naming what is missing and what to do.
SavedModel read_saved_model(std::filesystem::path path, std::optional<int64_t> step,
                            std::filesystem::path config);

}  // namespace ringside
