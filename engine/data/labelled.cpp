#include "ringside/data/labelled.h"

#include <filesystem>
#include <set>

#include <fmt/format.h>
#include "collector.h"
#include "listing.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "text_file.h"

namespace ringside::inline data {
namespace {

SourceKind kind_by_name(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return SourceKind::kFolder;
  std::string name = lower(std::filesystem::path(path).filename().string());
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (name.ends_with(".csv")) return SourceKind::kCsv;
  if (name.ends_with(".tsv") || name.ends_with(".tab")) return SourceKind::kTsv;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return SourceKind::kJsonLines;
  if (name.ends_with(".idx") || name.find("-idx") != std::string::npos ||
      name.find(".idx") != std::string::npos)
    return SourceKind::kIdx;
  if (!std::filesystem::exists(path, error))
    throw InputError(typed_path(path) + ": there is no such file or folder");
  throw UsageError(
      "{}: its name does not say what it is; read are a folder, .csv, .tsv, .jsonl, "
      "-idx3-ubyte, and each of these with .gz",
      typed_path(path));
}

}  // namespace

Labelled read_labelled(const LabelledSource& source) {
  const SourceKind kind = source.kind == SourceKind::kByName ? kind_by_name(source.path) : source.kind;
  if (kind == SourceKind::kCsv) return read_separated(source, ',');
  if (kind == SourceKind::kTsv) return read_separated(source, '\t');
  if (kind == SourceKind::kJsonLines) return read_json_lines(source);
  return kind == SourceKind::kIdx ? read_idx(source) : read_labelled_folder(source);
}

// A folder of labelled texts: "pos/1.txt" is a text of the class "pos".
Labelled read_labelled_folder(const LabelledSource& source) {
  Notes notes;
  const Listing listing = walk_tree(source.path, notes);
  Collector collector(source);
  std::deque<std::string> bytes;
  std::set<std::string> empty(listing.folders.begin(), listing.folders.end());
  size_t all = 0;
  for (const std::string& path : listing.files) {
    const size_t end = path.find('/');
    if (end == std::string::npos) {
      notes.add(Noted::kBesideClasses, path);
      continue;
    }
    TextFile file = read_text_file(source.path + "/" + path);
    for (const Noted what : file.noted) notes.add(what, path);
    if (file.bytes.empty()) continue;
    all += file.bytes.size();
    if (all > source.limits.bytes)
      collector.refuse(
          fmt::format("its texts have more than {} bytes", format_count(int64_t(source.limits.bytes))));
    file.bytes.shrink_to_fit();
    collector.file = path;
    collector.add(bytes.emplace_back(std::move(file.bytes)), path.substr(0, end));
    empty.erase(path.substr(0, end));
  }
  collector.file.clear();
  for (const std::string& name : empty) notes.add(Noted::kEmptyClass, name);
  if (collector.labelled().samples.empty())
    collector.refuse("no sub-folder with text files was found; each class is a sub-folder of texts");
  Labelled labelled = collector.take(std::move(bytes));
  labelled.notes = notes.lines();  // which name the files, too
  return labelled;
}

}  // namespace ringside::inline data
