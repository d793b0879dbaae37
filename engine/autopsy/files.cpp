#include "ringside/autopsy/files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "line.h"
#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/source_tree.h"
#include "ringside/base/text.h"
#include "ringside/flight/files.h"
#include "ringside/planner/model_config.h"

namespace ringside::inline logs {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostCaseFiles = 100'000;

std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  if (path == "-" || !fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    std::error_code of_one;
    if (it->is_regular_file(of_one)) files.push_back(it->path().string());
    if (files.size() > kMostCaseFiles)
      throw InputError("{}: more than {} files", typed_path(path), kMostCaseFiles);
  }
  if (error) throw InputError("{}: {}", typed_path(path), error.message());
  std::ranges::sort(files);
  return files;
}

// As PyTorch's and ours begin: {"version": "2.10", ... or with another key of it.
bool is_json_dump(const std::string& file) {
  const std::string head = read_at_most(file, 4096).value_or("");
  return trimmed(head).starts_with('{') &&
         has_any(head, {"\"version\"", "\"pg_config\"", "\"entries\"", "\"pg_status\""});
}

bool is_binary(const std::string& file) {
  return read_at_most(file, 4096).value_or("").find('\0') != std::string::npos;
}

std::string released_models() {
  try {
    return (assets() / "models").string();
  } catch (const MissingError&) {
    return "";  // a program that was moved without its tree has no shortlist
  }
}

// Taken by its name or its first bytes; a log of JSON lines begins as JSON does.
bool may_be_settings(const std::string& file) {
  const std::string extension = fs::path(file).extension().string();
  for (const char* one : {".json", ".yaml", ".yml", ".sh", ".sbatch", ".slurm"})
    if (extension == one) return true;
  return read_at_most(file, 2).value_or("") == "#!";
}

// Whether it is a file of settings, and what is wrong with it in `why`.
bool read_settings(const std::string& file, JobSettings& settings, std::string& why) {
  if (!may_be_settings(file)) return false;
  JobSettings read = settings;
  try {
    if (!add_settings_file(file, read)) return false;
    if (!read.model_config.empty() && settings.model_config.empty()) read_model_config(read.model_config);
    settings = std::move(read);
  } catch (const InputError& error) {
    why = error.what();
  }
  return true;
}

}  // namespace

bool is_settings_file(const std::string& file) {
  JobSettings settings;
  std::string why;
  return read_settings(file, settings, why);
}

Diagnosis diagnose(const CaseFiles& files, AutopsyOptions options) {
  for (const Setting& setting : files.settings.all()) options.settings.add(setting);
  std::string& model = options.settings.model_config;
  if (!options.config_file.empty()) model = options.config_file;
  if (model.empty()) model = files.settings.model_config;
  if (model.empty()) options.models_folder = released_models();
  Diagnosis diagnosis = diagnose(files.log, files.dumps, options);
  diagnosis.not_read = files.not_read;
  return diagnosis;
}

namespace {

// torchrun's logs are 0/stderr.log, 1/stderr.log: where a name stands twice its folder stands before it.
class Paths {
 public:
  explicit Paths(const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
      for (std::string& file : files_of(path)) {
        ++counts_[fs::path(file).filename().string()];
        files.push_back(std::move(file));
      }
  }
  std::string name_of(const std::string& file) const {
    const fs::path path(file), name = path.filename();
    const bool twice = counts_.at(name.string()) > 1;
    return as_typed((twice ? path.parent_path().filename() / name : name).string());
  }
  std::vector<std::string> files;

 private:
  std::map<std::string, int64_t> counts_;
};

std::string why_nothing(const CaseFiles& files, const std::string& path) {
  const JobSettings& settings = files.settings;
  std::string alone = settings.model_config;
  if (alone.empty() && !settings.all().empty()) alone = path;
  if (!alone.empty())
    return fmt::format("{}: settings alone; they take a log or a dump beside them", typed_path(alone));
  return files.not_read.empty() ? fmt::format("{}: no file in it{}", typed_path(path), folders_in_words(path))
                                : files.not_read.front();
}

}  // namespace

CaseFiles read_case(const std::vector<std::string>& paths, std::istream& in, const OnBytes& on_bytes) {
  CaseFiles files;
  LogReader reader;
  bool some = false;
  int64_t before = 0;  // bytes of the files before
  const auto read = [&](std::istream& from, const std::string& path, const std::string& name) {
    int64_t bytes = 0;
    read_log_file(reader, from, name, [&](int64_t so_far) {
      bytes = so_far;
      if (on_bytes) on_bytes(before + bytes);
    });
    before += bytes;
    files.logs.push_back(path);
    some = true;
  };
  const Paths all(paths);
  for (const std::string& file : all.files) {
    if (file == "-") {
      read(in, file, "stdin");
    } else if (is_flight_pickle(file) || is_json_dump(file)) {
      try {
        files.dumps.push_back(read_flight_dump(file));
        some = true;
      } catch (const InputError& error) {
        files.not_read.emplace_back(error.what());
      }
    } else if (std::string why; read_settings(file, files.settings, why)) {
      if (!why.empty()) files.not_read.push_back(why);
    } else if (is_binary(file)) {
      files.not_read.push_back(fmt::format(
          "{}: no text: it has zero bytes, as a binary file has, or a text in UTF-16", typed_path(file)));
    } else {
      errno = 0;
      std::ifstream stream(file, std::ios::binary);
      if (!stream)
        throw InputError("{}: cannot be read: {}", typed_path(file),
                         std::generic_category().message(errno != 0 ? errno : EIO));
      read(stream, file, all.name_of(file));
    }
  }
  if (!some) throw InputError(why_nothing(files, paths.front()));
  std::ranges::stable_sort(files.dumps, {}, &FlightDump::rank);
  const auto same = [](const FlightDump& a, const FlightDump& b) { return a.rank == b.rank; };
  const auto twice = std::unique(files.dumps.begin(), files.dumps.end(), same);
  if (twice != files.dumps.end())
    files.not_read.emplace_back("of ranks with several dumps all but the first");
  files.dumps.erase(twice, files.dumps.end());
  files.log = reader.take();
  return files;
}

}  // namespace ringside::inline logs
