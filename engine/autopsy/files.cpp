#include "ringside/autopsy/files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/source_tree.h"
#include "ringside/base/text.h"
#include "ringside/flight/files.h"
#include "ringside/planner/model_config.h"

namespace ringside {
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
      throw InputError(fmt::format("{}: more than {} files", as_typed(path, kPathColumns), kMostCaseFiles));
  }
  if (error) throw InputError(fmt::format("{}: {}", as_typed(path, kPathColumns), error.message()));
  std::ranges::sort(files);
  return files;
}

bool is_json_with(const std::string& file, std::initializer_list<const char*> keys) {
  const std::string head = read_at_most(file, 4096).value_or("");
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || head[first] != '{') return false;
  return std::ranges::any_of(keys, [&](const char* key) { return head.find(key) != std::string::npos; });
}

// As PyTorch's and ours begin: {"version": "2.10", ... or with another key of it.
bool is_json_dump(const std::string& file) {
  return is_json_with(file, {"\"version\"", "\"pg_config\"", "\"entries\"", "\"pg_status\""});
}

std::string released_models() {
  try {
    return (assets() / "models").string();
  } catch (const MissingError&) {
    return "";  // a program that was moved without its tree has no shortlist
  }
}

}  // namespace

bool is_model_config(const std::string& file) {
  return is_json_with(file, {"\"model_type\"", "\"architectures\""}) && !is_json_dump(file);
}

Diagnosis diagnose(const CaseFiles& files, AutopsyOptions options) {
  std::vector<std::string> not_read = files.not_read;
  if (options.config_file.empty() && !files.config.empty()) {
    try {
      read_model_config(files.config);
      options.config_file = files.config;
    } catch (const InputError& error) {
      not_read.emplace_back(error.what());
    }
  }
  if (options.config_file.empty()) options.models_folder = released_models();
  Diagnosis diagnosis = diagnose(files.log, files.dumps, options);
  diagnosis.not_read = std::move(not_read);
  return diagnosis;
}

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
  for (const std::string& path : paths)
    for (const std::string& file : files_of(path)) {
      if (file == "-") {
        read(in, file, "stdin");
      } else if (is_flight_pickle(file) || is_json_dump(file)) {
        try {
          files.dumps.push_back(read_flight_dump(file));
          some = true;
        } catch (const InputError& error) {
          files.not_read.emplace_back(error.what());
        }
      } else if (files.config.empty() && is_model_config(file)) {
        files.config = file;
      } else {
        std::ifstream stream(file, std::ios::binary);
        if (!stream) throw InputError(fmt::format("{}: cannot be read", as_typed(file, kPathColumns)));
        read(stream, file, as_typed(fs::path(file).filename().string()));
      }
    }
  if (!some && !files.config.empty())
    throw InputError(fmt::format("{}: a model's configuration alone; it takes a log or a dump beside it",
                                 as_typed(files.config, kPathColumns)));
  if (!some)
    throw InputError(files.not_read.empty()
                         ? fmt::format("{}: no file in it", as_typed(paths.front(), kPathColumns))
                         : files.not_read.front());
  std::ranges::stable_sort(files.dumps, {}, &FlightDump::rank);
  const auto same = [](const FlightDump& a, const FlightDump& b) { return a.rank == b.rank; };
  const auto twice = std::unique(files.dumps.begin(), files.dumps.end(), same);
  if (twice != files.dumps.end())
    files.not_read.emplace_back("of ranks with several dumps all but the first");
  files.dumps.erase(twice, files.dumps.end());
  files.log = reader.take();
  return files;
}

}  // namespace ringside
