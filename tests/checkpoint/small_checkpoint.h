// A checkpoint of a few hundred bytes by three ranks, whose values say which it is.
#pragma once

#include <fmt/format.h>

#include "ringside/checkpoint/load.h"
#include "ringside/checkpoint/save.h"

namespace ringside::testing {

inline constexpr int kSmallRanks = 3;
inline const FileSystem::Path kFolder = "/runs/small";

// A matrix of (6, 5) whose rows 2r and 2r + 1 rank r has; a vector of 7 that is rank 0's.
inline std::vector<float> rows_of(int rank, float salt) {
  std::vector<float> values;
  for (int i = 0; i < 10; ++i) values.push_back(salt + static_cast<float>(rank * 10 + i));
  return values;
}

inline std::string_view bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

inline void save_small(FileSystem& files, const FileSystem::Path& folder, int64_t step, float salt,
                       int64_t keep) {
  for (int rank = 0; rank < kSmallRanks; ++rank) {
    RankFile file(files, folder, step, rank);
    file.add({"w", "parameter", Dtype::kFloat32, {6, 5}}, {{rank * 10, 10, 0, 1}},
             bytes_of(rows_of(rank, salt)));
    if (rank == 0)
      file.add({"b", "exp_avg", Dtype::kFloat32, {7}}, {{0, 7, 0, 1}}, bytes_of(std::vector<float>(7, salt)));
    file.finish();
  }
  Manifest about;
  about.step = step, about.ranks = kSmallRanks;
  about.run = {{"mesh", "dp3"}}, about.needs = {{"seed", "7"}};
  publish(files, folder, about, keep);
}

// What a checkpoint holds, as text: of each tensor its values.
inline std::string content(const Checkpoint& checkpoint) {
  std::string text;
  for (const StateRuns& piece : checkpoint.manifest().pieces) {
    const StateTensor& tensor = checkpoint.manifest().tensors[piece.tensor];
    std::vector<float> values(static_cast<size_t>(piece.bytes / 4));
    checkpoint.read(piece, {reinterpret_cast<char*>(values.data()), values.size() * 4});
    text += fmt::format("{} {} {}:", tensor.name, tensor.kind, piece.runs.front().begin);
    for (const float value : values) text += fmt::format(" {}", value);
    text += "\n";
  }
  return text;
}

inline std::string content_of_small(float salt) {
  std::string text;
  for (int rank = 0; rank < kSmallRanks; ++rank) {
    text += fmt::format("w parameter {}:", rank * 10);
    for (const float value : rows_of(rank, salt)) text += fmt::format(" {}", value);
    text += "\n";
    if (rank == 0)
      text += fmt::format("b exp_avg 0:{}\n", [&] {
        std::string all;
        for (int i = 0; i < 7; ++i) all += fmt::format(" {}", salt);
        return all;
      }());
  }
  return text;
}

}  // namespace ringside::testing
