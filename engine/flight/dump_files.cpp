#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/flight/files.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxBytes = uintmax_t{64} << 20;
constexpr size_t kMaxFiles = 100'000;

// "trace_3.json" -> 3; -1 where the name ends in no number.
int rank_of(const fs::path& file) {
  const std::string stem = file.stem().string();
  const size_t digits = stem.find_last_not_of("0123456789") + 1;
  int rank = -1;
  const auto [end, error] = std::from_chars(stem.data() + digits, stem.data() + stem.size(), rank);
  return error == std::errc() ? rank : -1;
}

std::string read_whole(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    throw InputError(file.string() + ": " + (error ? error.message() : "not a file"));
  const uintmax_t bytes = fs::file_size(file, error);
  if (error) throw InputError(file.string() + ": " + error.message());
  if (bytes > kMaxBytes) throw InputError(fmt::format("{}: more than {} bytes", file.string(), kMaxBytes));
  std::ifstream in(file, std::ios::binary);
  std::string text(static_cast<size_t>(bytes), '\0');
  if (!in) throw InputError(file.string() + ": cannot be opened for reading");
  in.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".json") continue;
    files.push_back(it->path());
    if (files.size() > kMaxFiles)
      throw InputError(fmt::format("{}: more than {} dumps", folder.string(), kMaxFiles));
  }
  if (error) throw InputError(folder.string() + ": " + error.message());
  if (files.empty()) throw InputError(folder.string() + ": no *.json in it");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

void write_flight_dumps(const std::vector<FlightDump>& dumps, const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(folder + ": " + error.message());
  for (const FlightDump& dump : dumps) {
    const std::string rank = std::to_string(dump.rank);
    write_file_atomically(fs::path(folder) / ("flight_" + rank + ".json"),
                          [&](std::ostream& out) { out << flight_json(dump); });
    write_file_atomically(fs::path(folder) / ("rank_" + rank),
                          [&](std::ostream& out) { out << flight_pickle(dump); });
  }
}

std::vector<FlightDump> read_flight_dumps(const std::string& path) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  std::vector<FlightDump> dumps;
  for (const fs::path& file : folder ? json_files(path) : std::vector<fs::path>{path})
    dumps.push_back(parse_flight_json(read_whole(file), file.string(), rank_of(file)));
  std::sort(dumps.begin(), dumps.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  for (size_t i = 1; i < dumps.size(); ++i)
    if (dumps[i].rank == dumps[i - 1].rank)
      throw InputError(fmt::format("{}: two dumps of rank {}", path, dumps[i].rank));
  return dumps;
}

}  // namespace ringside
