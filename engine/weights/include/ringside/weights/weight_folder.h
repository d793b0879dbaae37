// The weights of a model as they lie in a folder: model.safetensors, or several files ("shards") with
// model.safetensors.index.json, whose "weight_map" says which file has which tensor.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "ringside/weights/safetensors.h"

namespace ringside::inline weights {

inline constexpr size_t kMostWeightIndex = size_t{16} << 20;  // bytes of the index
inline constexpr size_t kMostWeightShards = 2'000;

class WeightFolder {
 public:
  // InputError where there are none, where a shard is missing or has a path that leaves the folder, and where
  // index and shards disagree. A folder with a pickle alone is refused with how to convert it.
  explicit WeightFolder(const std::filesystem::path& folder);

  const WeightTensor* find(std::string_view name) const;  // null: there is none
  std::vector<const WeightTensor*> tensors() const;
  size_t files() const { return files_.size(); }

 private:
  void open_shards(const std::filesystem::path& folder, const std::filesystem::path& index);
  std::vector<std::unique_ptr<SafetensorsFile>> files_;
};

// Writes them in that order, a new file where one would pass so many bytes of data. One file is
// model.safetensors. Errors: as write_safetensors.
void write_weight_folder(const std::filesystem::path& folder, const std::vector<WeightTensor>& tensors,
                         int64_t most_bytes = int64_t{5'000'000'000});

}  // namespace ringside::inline weights
