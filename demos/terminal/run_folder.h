// The folder that a training leaves, whose name is the setting `output`:
//
//   config.toml          every setting as it was; ringside train FOLDER/config.toml resume=true goes on
//   classes.json         the classes in order, the data's hash
//   tokenizer.json       a copy of the tokenizer's file, where it has one
//   metrics.jsonl        a line for each step and evaluation
//   events.out.tfevents… the same for TensorBoard
//   checkpoints/         the state, a folder for each step that was saved
//   best/                the state behind the best evaluation
//   model/               config.json and model.safetensors of the model that is kept
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ringside/lesson/config.h"
#include "ringside/pretrained/pretrained.h"

namespace ringside {

struct RunFolder {
  std::filesystem::path path;
  std::filesystem::path config() const { return path / "config.toml"; }
  std::filesystem::path classes() const { return path / "classes.json"; }
  std::filesystem::path metrics() const { return path / "metrics.jsonl"; }
  std::filesystem::path checkpoints() const { return path / "checkpoints"; }
  std::filesystem::path tokenizer() const { return path / "tokenizer.json"; }  // none: bytes
  std::filesystem::path best() const { return path / "best"; }
  std::filesystem::path model() const { return path / "model"; }
  std::string typed() const;  // as messages and hints have it
};

// Of a config.toml that lies in the folder of a run, which may have been moved or copied: that folder.
std::optional<std::filesystem::path> folder_of_config(const std::filesystem::path& file);

// Of the setting `output`. InputError where it, or a folder that it should lie in, is a file.
RunFolder output_folder(const std::filesystem::path& path);

// Of one training, which alone writes into the folder as long as this lives.
class FolderLock {
 public:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~FolderLock();

 private:
  int descriptor_;
};

// Before anything runs. InputError where the folder has a run and this one does not go on from it, where
// another training writes into it, or it cannot be made.
[[nodiscard]] FolderLock claim(const RunFolder& folder, bool resume);

struct WhatWasLearned {
  std::vector<std::string> classes;
  std::string data_sha256{};
  int64_t max_tokens = 0;
};
void write_classes(const RunFolder& folder, const WhatWasLearned& learned);
WhatWasLearned read_classes(const RunFolder& folder);  // InputError

void copy_tokenizer(const RunFolder& folder, const std::filesystem::path& from);  // InputError

// Of the checkpoint: the best where there is one and it is wanted, else the newest. The step that it is of.
int64_t write_model(const RunFolder& folder, const PretrainedConfig& config, bool best);

}  // namespace ringside
