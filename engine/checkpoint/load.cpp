#include "ringside/checkpoint/load.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/base/sha256.h"
#include "ringside/base/text.h"
#include "ringside/checkpoint/file_system.h"

namespace ringside::inline checkpoint {
namespace {

using Path = FileSystem::Path;

constexpr int64_t kMostManifest = int64_t{1} << 28, kChunk = int64_t{1} << 18;

[[noreturn]] void refuse(const Path& path, const std::string& why) {
  throw CheckpointError("{}: {}: take another checkpoint, or remove this one", typed_path(path), why);
}

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

void widen(const char* from, Dtype type, int64_t count, float* to) {
  if (type == Dtype::kFloat32) {
    std::memcpy(to, from, size_t(count) * sizeof(float));
    return;
  }
  if (type != Dtype::kBFloat16) throw InputError("the checkpoint's parameters are neither fp32 nor bf16");
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, from + 2 * i, 2);
    to[i] = bf16_to_float(bits);
  }
}

}  // namespace

std::string read_text(FileSystem& files, const Path& path) {
  const int64_t size = files.size(path);
  if (size < 0) refuse(path, "there is no such file");
  if (size > kMostManifest) refuse(path, "it is too long for a manifest");
  std::string text(static_cast<size_t>(size), '\0');
  files.read(path, 0, text);
  return text;
}

std::vector<int64_t> saved_steps(FileSystem& files, const Path& folder) {
  std::vector<int64_t> steps;
  for (const std::string& name : files.list(folder))
    if (const int64_t step = step_of_folder(name); step >= 0) steps.push_back(step);
  std::ranges::sort(steps, std::greater<>());
  return steps;
}

Checkpoint::Checkpoint(FileSystem& files, const Path& folder, int64_t step)
    : files_(files), folder_(folder / folder_of_step(step)) {
  const Path path = folder_ / kManifestName;
  manifest_ = read_manifest(read_text(files, path), path.string());
  if (manifest_.step != step) refuse(path, fmt::format("it is of step {}", manifest_.step));
  for (const StateFile& file : manifest_.files) check_file(file);
}

void Checkpoint::check_file(const StateFile& file) const {
  const Path path = folder_ / file.name;
  if (const int64_t size = files_.size(path); size != file.bytes)
    refuse(path,
           size < 0 ? "there is no such file" : fmt::format("it has {} bytes, not {}", size, file.bytes));
  Sha256 hash;
  std::string chunk(size_t(std::min(kChunk, file.bytes)), '\0');
  for (int64_t at = 0; at < file.bytes; at += kChunk) {
    const std::span part(chunk.data(), size_t(std::min(kChunk, file.bytes - at)));
    files_.read(path, at, part);
    hash.update(part.data(), part.size());
  }
  if (hash.hex() != file.sha256) refuse(path, "its bytes are not those that were written");
}

void Checkpoint::read(const StateRuns& piece, std::span<char> out) const {
  files_.read(folder_ / manifest_.files[piece.file].name, piece.offset, out.first(size_t(piece.bytes)));
}

void Checkpoint::require(const std::map<std::string, std::string>& needs) const {
  for (const auto& [key, value] : needs) {
    const auto found = manifest_.needs.find(key);
    const std::string saved = found == manifest_.needs.end() ? "nothing" : found->second;
    if (saved != value)
      throw CheckpointError(
          "{}: it was saved with {}={}, this run has {}={}: make them the same, or begin in another folder",
          typed_path(folder_ / kManifestName), key, as_typed(saved), key, as_typed(value));
  }
}

Latest latest(FileSystem& files, const Path& folder) {
  Latest found;
  for (const int64_t step : saved_steps(files, folder)) {
    try {
      found.checkpoint.emplace(files, folder, step);
      found.step = step;
      break;
    } catch (const CheckpointError& error) {
      found.refused.emplace_back(error.what());
    }
  }
  return found;
}

std::vector<float> whole_parameter(const Checkpoint& checkpoint, const std::string& name,
                                   const std::vector<int64_t>& shape) {
  const Manifest& manifest = checkpoint.manifest();
  const StateTensor* const tensor = find(manifest, name);
  if (tensor == nullptr)
    throw InputError("{}: no parameter '{}': the checkpoint is of another model",
                     folder_of_step(manifest.step), name);
  if (tensor->shape != shape)
    throw InputError("{}: '{}' has another shape: the checkpoint is of another model",
                     folder_of_step(manifest.step), name);
  std::vector<float> values(size_t(tensor->elements()));
  std::vector<bool> is_there(values.size());
  const auto place = size_t(tensor - manifest.tensors.data());
  for (const StateRuns& piece : manifest.pieces) {
    if (piece.tensor != place) continue;
    std::string bytes(size_t(piece.bytes), '\0');
    checkpoint.read(piece, bytes);
    const char* from = bytes.data();
    for (const Stretches& run : piece.runs)
      for (int64_t i = 0; i < run.times; ++i, from += run.count * size_of(tensor->dtype)) {
        const int64_t begin = run.begin + i * run.step;
        widen(from, tensor->dtype, run.count, &values[size_t(begin)]);
        std::fill_n(is_there.begin() + begin, run.count, true);
      }
  }
  const auto missing = std::ranges::find(is_there, false);
  if (missing != is_there.end())
    throw InputError("{}: element {} of '{}' is not there: its pieces overlap; take another checkpoint",
                     folder_of_step(manifest.step), missing - is_there.begin(), name);
  return values;
}

}  // namespace ringside::inline checkpoint
