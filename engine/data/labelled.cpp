#include "ringside/data/labelled.h"

#include <fmt/format.h>

#include <filesystem>

#include "collector.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

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
    throw InputError(as_typed(path, kPathColumns) + ": there is no such file or folder");
  throw UsageError(
      fmt::format("{}: its name does not say what it is; read are a folder, .csv, .tsv, .jsonl, "
                  "-idx3-ubyte, and each of these with .gz",
                  as_typed(path, kPathColumns)));
}

}  // namespace

Labelled read_labelled(const LabelledSource& source) {
  switch (source.kind == SourceKind::kByName ? kind_by_name(source.path) : source.kind) {
    case SourceKind::kCsv:
      return read_separated(source, ',');
    case SourceKind::kTsv:
      return read_separated(source, '\t');
    case SourceKind::kJsonLines:
      return read_json_lines(source);
    case SourceKind::kIdx:
      return read_idx(source);
    default:
      return read_labelled_folder(source);
  }
}

}  // namespace ringside::inline data
