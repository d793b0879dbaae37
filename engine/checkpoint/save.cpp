#include "ringside/checkpoint/save.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ringside/checkpoint/file_system.h"
#include "ringside/checkpoint/load.h"

namespace ringside::inline checkpoint {
namespace {

using Path = FileSystem::Path;

constexpr size_t kHashed = size_t{1} << 18;

std::string hidden_name(int64_t step) { return fmt::format(".{}.tmp", folder_of_step(step)); }

bool is_hidden(std::string_view name) {
  return name.starts_with(".step-") && name.ends_with(".tmp") &&
         step_of_folder(name.substr(1, name.size() - 5)) >= 0;
}

void write_flushed(FileSystem& files, const Path& path, std::string_view text) {
  const auto file = files.create(path);
  file->write(text);
  file->sync();
}

void remove_folder(FileSystem& files, const Path& folder) {
  for (const std::string& name : files.list(folder)) files.remove(folder / name);
  files.remove(folder);
}

// What ranks wrote, as one.
void add_part(Manifest& whole, Manifest part, std::map<std::pair<std::string, std::string>, size_t>& places) {
  for (StateRuns& piece : part.pieces) {
    const StateTensor& tensor = part.tensors[piece.tensor];
    const auto [found, is_new] = places.try_emplace({tensor.name, tensor.kind}, whole.tensors.size());
    if (is_new) whole.tensors.push_back(tensor);
    if (whole.tensors[found->second] != tensor)
      throw CheckpointError("state '{}' of {}: ranks differ in its shape or element type", tensor.kind,
                            tensor.name);
    piece.tensor = found->second;
    piece.file += whole.files.size();
    whole.pieces.push_back(std::move(piece));
  }
  for (StateFile& file : part.files) whole.files.push_back(std::move(file));
}

// The old one first gets a name that nobody reads: half of it removed is no checkpoint.
void remove_older(FileSystem& files, const Path& folder, int64_t step, int64_t keep) {
  std::vector<int64_t> older;
  for (const int64_t one : saved_steps(files, folder))  // the newest first
    if (one < step) older.push_back(one);
  for (size_t i = size_t(keep - 1); i < older.size(); ++i) {
    files.rename(folder / folder_of_step(older[i]), folder / hidden_name(older[i]));
    files.sync_folder(folder);
    remove_folder(files, folder / hidden_name(older[i]));
  }
}

}  // namespace

void prepare_folder(FileSystem& files, const Path& folder) {
  if (!files.list(folder).empty()) return;
  const Path above = folder.parent_path();
  if (!above.empty() && above != folder) prepare_folder(files, above);
  files.make_folder(folder);
  files.sync_folder(above);
}

RankFile::RankFile(FileSystem& files, const Path& folder, int64_t step, int rank)
    : files_(files), folder_(folder / hidden_name(step)), rank_(rank) {
  files_.make_folder(folder_);
  part_.step = step;
  part_.files.push_back({fmt::format("rank-{}.bin", rank), 0, ""});
  file_ = files_.create(folder_ / part_.files[0].name);
}

void RankFile::add(const StateTensor& tensor, std::vector<Stretches> runs, std::string_view data) {
  if (runs.empty()) return;  // padding alone
  part_.pieces.push_back(
      {part_.tensors.size(), 0, part_.files[0].bytes, int64_t(data.size()), std::move(runs)});
  part_.tensors.push_back(tensor);
  for (size_t at = 0; at < data.size(); at += kHashed) {  // hashed while it is still in the cache
    const std::string_view chunk = data.substr(at, kHashed);
    file_->write(chunk);
    hash_.update(chunk);
  }
  part_.files[0].bytes += int64_t(data.size());
}

void RankFile::finish() {
  part_.files[0].sha256 = hash_.hex();
  file_->sync();
  file_.reset();
  write_flushed(files_, folder_ / fmt::format("rank-{}.json", rank_), to_text(part_));
}

void publish(FileSystem& files, const Path& folder, Manifest about, int64_t keep) {
  const Path hidden = folder / hidden_name(about.step), shown = folder / folder_of_step(about.step);
  std::map<std::pair<std::string, std::string>, size_t> places;
  for (int64_t rank = 0; rank < about.ranks; ++rank) {
    const Path part = hidden / fmt::format("rank-{}.json", rank);
    add_part(about, read_manifest(read_text(files, part), part.string(), false), places);
  }
  write_flushed(files, hidden / kManifestName, to_text(about));
  for (const std::string& name : files.list(hidden))
    if (name != kManifestName && std::ranges::find(about.files, name, &StateFile::name) == about.files.end())
      files.remove(hidden / name);
  files.sync_folder(hidden);

  const std::vector<int64_t> before = saved_steps(files, folder);
  if (std::ranges::count(before, about.step) != 0)
    files.exchange(hidden, shown);
  else
    files.rename(hidden, shown);
  files.sync_folder(folder);

  for (const std::string& name : files.list(folder))  // of this save, and of a crash
    if (is_hidden(name)) remove_folder(files, folder / name);
  if (keep > 0) remove_older(files, folder, about.step, keep);
}

}  // namespace ringside::inline checkpoint
