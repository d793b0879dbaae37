// ringside convert: weights from one form into another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace ringside {

struct ConvertOptions {
  std::string from{}, to{};
  std::string config{};           // of a checkpoint: the model's config.json; "": beside it
  std::string adapter{};          // a folder of peft's, merged into it
  std::optional<int64_t> step{};  // of a folder of checkpoints; none: the newest that is whole
  int64_t shard_bytes = 5'000'000'000;
};

void add_convert_options(CLI::App& command, ConvertOptions& options);

}  // namespace ringside
