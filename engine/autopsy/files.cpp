#include "ringside/autopsy/files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"
#include "ringside/flight/files.h"

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

// A dump as JSON, as PyTorch's and ours begin: {"version": "2.10", ... or with another key of it.
bool is_json_dump(const std::string& file) {
  const std::string head = read_at_most(file, 4096).value_or("");
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || head[first] != '{') return false;
  return std::ranges::any_of(
      std::initializer_list<const char*>{"\"version\"", "\"pg_config\"", "\"entries\"", "\"pg_status\""},
      [&](const char* key) { return head.find(key) != std::string::npos; });
}

}  // namespace

CaseFiles read_case(const std::vector<std::string>& paths, std::istream& in) {
  CaseFiles files;
  LogReader reader;
  bool some = false;
  std::string reason;
  for (const std::string& path : paths)
    for (const std::string& file : files_of(path)) {
      if (file == "-") {
        read_log_file(reader, in, "stdin");
        some = true;
      } else if (is_flight_pickle(file) || is_json_dump(file)) {
        try {
          files.dumps.push_back(read_flight_dump(file));
          some = true;
        } catch (const InputError& error) {
          files.not_read.emplace_back(error.what());
        }
      } else {
        std::ifstream stream(file, std::ios::binary);
        if (!stream) throw InputError(fmt::format("{}: cannot be read", as_typed(file, kPathColumns)));
        read_log_file(reader, stream, as_typed(fs::path(file).filename().string()));
        some = true;
      }
    }
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
