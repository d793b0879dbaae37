#include "run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <ostream>

#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"
#include "ringside/checkpoint/load.h"
#include "ringside/tokenizer/tokenizer_json.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;
constexpr size_t kMostBytes = size_t{16} << 20, kMostClassNames = 4096;

// A layout that transformers has no class of is kept as safetensors alone, which evaluate and predict read.
void write_weights(const fs::path& folder, const PretrainedConfig& config,
                   const std::vector<ConstView>& views) {
  const ClassifierConfig& model = config.model;
  if (model.norm == NormKind::kRms && model.where == NormPlace::kPre) {
    write_pretrained(folder, config, views);
    return;
  }
  std::vector<WeightTensor> tensors;
  const std::vector<ParameterShape> shapes = classifier_shapes(model);
  for (size_t i = 0; i < shapes.size(); ++i)
    tensors.push_back({shapes[i].name,
                       WeightType::kF32,
                       shapes[i].shape,
                       {static_cast<const std::byte*>(views[i].data), size_t(views[i].bytes())}});
  write_weight_folder(folder, tensors);
}

void copy_json(const fs::path& from, const fs::path& to) {
  const std::string bytes = read_file(from, kMostTokenizerBytes);
  write_file_atomically(to, [&](std::ostream& out) { out << bytes; });
}

}  // namespace

std::string RunFolder::typed() const { return typed_path(path); }

std::optional<fs::path> folder_of_config(const fs::path& file) {
  const RunFolder folder{fs::absolute(file).lexically_normal().parent_path()};
  std::error_code ignored;
  const bool is_run =
      file.filename() == folder.config().filename() && fs::is_regular_file(folder.classes(), ignored);
  return is_run ? std::optional(folder.path) : std::nullopt;
}

RunFolder output_folder(const fs::path& path) {
  std::error_code error;
  fs::path there = fs::absolute(path, error).lexically_normal();
  while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  if (fs::exists(there, error) && !fs::is_directory(there, error))
    throw InputError(typed_path(there) + ": is a file; output= names the folder for what the run leaves");
  return {path};
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FolderLock claim(const RunFolder& folder, bool resume) {
  std::error_code error;
  fs::create_directories(folder.path, error);
  if (error) throw InputError(fmt::format("{}: cannot be made: {}", folder.typed(), error.message()));
  // The folder itself is locked, so that no file is left. Where the file system has no locks there is none.
  const int descriptor = ::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor);
    throw InputError(folder.typed() + ": another training writes into it; output=ANOTHER leaves it alone");
  }
  const bool has_run = fs::file_size(folder.metrics(), error) > 0 && !error;
  if (!resume && (has_run || !saved_steps(disk(), folder.checkpoints()).empty())) {
    ::close(descriptor);
    throw InputError(fmt::format(
        "{} has a run already: resume=true goes on from it, output=ANOTHER leaves it", folder.typed()));
  }
  return FolderLock(descriptor);
}

void write_classes(const RunFolder& folder, const WhatWasLearned& learned) {
  const Json json = {
      {"classes", learned.classes}, {"max_tokens", learned.max_tokens}, {"data_sha256", learned.data_sha256}};
  write_file_atomically(folder.classes(), [&](std::ostream& out) { out << json.dump(2) << '\n'; });
}

WhatWasLearned read_classes(const RunFolder& folder) {
  const std::string named = typed_path(folder.classes());
  if (!fs::exists(folder.classes()))
    throw InputError(named + ": is not there: expected the folder that ringside train left (its output)");
  try {
    const Json json =
        parse_json(read_file(folder.classes(), kMostBytes), {kMostBytes, 4, kMostClassNames + 16});
    const JsonObject top(json);
    WhatWasLearned learned;
    for (const Json& name : top.array("classes", 2, kMostClassNames))
      learned.classes.push_back(json_text(name, "classes"));
    learned.data_sha256 = top.text("data_sha256");
    learned.max_tokens = top.integer("max_tokens", 2, 1 << 20);
    return learned;
  } catch (const JsonRejected& rejected) {
    throw InputError(
        fmt::format("{}: {}; it is written by ringside train, which can write it anew", named, rejected.why));
  }
}

void copy_tokenizer(const RunFolder& folder, const fs::path& from) { copy_json(from, folder.tokenizer()); }

int64_t write_model(const RunFolder& folder, const PretrainedConfig& config, bool best) {
  const bool has_best = best && !saved_steps(disk(), folder.best()).empty();
  const Latest found = latest(disk(), has_best ? folder.best() : folder.checkpoints());
  if (!found.step) throw InputError(folder.typed() + ": has no whole checkpoint");
  std::vector<std::vector<float>> values;
  std::vector<ConstView> views;
  for (const ParameterShape& shape : classifier_shapes(config.model)) {
    const std::vector<float>& own =
        values.emplace_back(whole_parameter(*found.checkpoint, shape.name, shape.shape));
    views.push_back({own.data(), std::ssize(own)});
  }
  std::error_code error;
  fs::create_directories(folder.model(), error);
  write_weights(folder.model(), config, views);
  if (fs::exists(folder.tokenizer())) copy_json(folder.tokenizer(), folder.model() / "tokenizer.json");
  return *found.step;
}

}  // namespace ringside
