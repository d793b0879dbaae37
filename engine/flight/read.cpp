// Reads a dump that anyone may have written: ours, PyTorch's own dump_json, or its pickle.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "names.h"
#include "pickle.h"
#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"
#include "ringside/flight/files.h"

namespace ringside::inline flight {
namespace {

namespace fs = std::filesystem;
using namespace flight;

constexpr size_t kMostBytes = size_t{64} << 20;
// A member of an object takes about 100 bytes: at one time twice the file's size and 1 MB.
constexpr size_t kFewValues = 10'000, kBytesPerValue = 50;
constexpr size_t kMaxFiles = 100'000;
constexpr size_t kMaxEntries = 100'000;
constexpr size_t kMaxGroups = 256;
constexpr size_t kMaxTensors = 100'000;         // of one entry
constexpr int64_t kMaxRanks = 20'000;           // of one group
constexpr size_t kMaxGroupRanks = 200'000;      // of all groups together
constexpr size_t kMaxText = 4'096;              // bytes of one string
constexpr int64_t kMaxTime = int64_t{1} << 62;  // ns; PyTorch's wall clock fits, and a difference too
constexpr int64_t kMaxCount = int64_t{1} << 48;
constexpr size_t kSmall = size_t{1} << 20;  // a pickle's values: twice its size and this

template <typename... Args>
[[noreturn]] void reject(fmt::format_string<Args...> format, Args&&... args) {
  throw JsonRejected(format, std::forward<Args>(args)...);
}

std::vector<int> ranks_of(const Json& json) {
  std::vector<int> ranks;
  for (const Json& rank : json) ranks.push_back(int(json_integer(rank, "ranks", 0, kMaxRanks)));
  return ranks;
}

std::vector<int> checked(std::vector<int> ranks) {
  if (std::set<int>(ranks.begin(), ranks.end()).size() != ranks.size()) reject("ranks: a rank comes twice");
  return ranks;
}

// PyTorch writes the ranks of a group as a text: "[0, 1, 2]".
std::vector<int> parse_ranks(const std::string& text) {
  const Json json = text.size() > kMaxRanks * 8 ? Json() : Json::parse(text, nullptr, false);
  if (!json.is_array() || json.empty()) reject("ranks: not a list of ranks as text, \"[0, 1]\"");
  return checked(ranks_of(json));
}

// The ranks of version 1 are a list of numbers, and all that is said of the group.
FlightGroup parse_group(const std::string& name, const Json& json) {
  if (json.is_array()) return {json_text(name, "name", kMaxText), "", checked(ranks_of(json))};
  const JsonObject group(json);
  return {json_text(name, "name", kMaxText), group.text_or_empty("desc", kMaxText),
          parse_ranks(group.text("ranks"))};
}

std::vector<FlightGroup> parse_groups(const JsonObject& dump) {
  const Json& config = dump.at("pg_config");
  if (!config.is_object()) reject("pg_config: not an object");
  if (config.size() > kMaxGroups) reject("pg_config: more than {} groups", kMaxGroups);
  std::multimap<int64_t, FlightGroup> groups;  // JSON's keys have no order, so a group of ours has an index
  size_t ranks = 0;
  for (const auto& [name, json] : config.items()) {
    try {
      FlightGroup parsed = parse_group(name, json);
      ranks += parsed.ranks.size();
      const int64_t index = json.is_array() ? 0 : JsonObject(json).integer("index", 0, kMaxGroups, 0);
      groups.emplace(index, std::move(parsed));
    } catch (const JsonRejected& rejected) {
      reject("pg_config: '{}': {}", as_typed(name), rejected.why);
    }
    if (ranks > kMaxGroupRanks) reject("pg_config: more than {} ranks", kMaxGroupRanks);
  }
  std::vector<FlightGroup> result;
  for (auto& [index, group] : groups) result.push_back(std::move(group));
  return result;
}

// [[2, 3], [4]] are two tensors of together 10 elements; [] is none.
int64_t parse_sizes(const JsonObject& entry, const char* key) {
  int64_t total = 0;
  for (const Json& tensor : entry.array(key, 0, kMaxTensors)) {
    if (!tensor.is_array()) reject("{}: not an array of arrays", key);
    int64_t elements = 1;
    for (const Json& size : tensor) {
      const int64_t extent = json_integer(size, key, 0, kMaxCount);
      if (extent != 0 && elements > kMaxCount / extent) reject("{}: too large", key);
      elements *= extent;
    }
    total += elements;
    if (total > kMaxCount) reject("{}: too large", key);
  }
  return total;
}

Dtype parse_dtypes(const JsonObject& entry) {
  for (const char* key : {"input_dtypes", "output_dtypes"}) {
    const Json& names = entry.array(key, 0, kMaxTensors);
    if (names.empty()) continue;
    const std::string& text = json_text(names[0], key, kMaxText);
    if (const auto dtype = parse_dtype_name(text)) return *dtype;
    reject("{}: '{}' is not known", key, text);
  }
  return Dtype::kUInt8;  // there is no tensor
}

FlightEntry parse_entry(const Json& value) {
  const JsonObject json(value);
  FlightEntry entry;
  entry.record_id = json.integer("record_id", 0, kMaxCount);
  entry.group = json_text(json.array("process_group", 1, 2)[0], "process_group", kMaxText);
  const std::string& name = json.text("profiling_name", kMaxText);
  if (!parse_profiling_name(name, entry)) reject("profiling_name: '{}' is not known", name);
  entry.peer = int(json.integer("peer", -1, kMaxRanks, entry.peer));
  entry.dtype = parse_dtypes(json);
  entry.elements_in = parse_sizes(json, "input_sizes");
  entry.elements_out = parse_sizes(json, "output_sizes");
  entry.collective_seq_id = json.integer("collective_seq_id", -1, kMaxCount);
  entry.p2p_seq_id = json.integer("p2p_seq_id", -1, kMaxCount, 0);
  entry.tag = json.text_or_empty("tag", kMaxText);
  entry.unit = json.text_or_empty("unit", kMaxText);
  entry.time_created_ns = json.integer("time_created_ns", 0, kMaxTime);
  entry.time_discovered_started_ns = json.integer("time_discovered_started_ns", 0, kMaxTime, 0);
  entry.time_discovered_completed_ns = json.integer("time_discovered_completed_ns", 0, kMaxTime, 0);
  entry.timeout_ms = json.integer("timeout_ms", 0, kMaxCount, 0);
  const std::string& state = json.text("state", kMaxText);
  const std::optional<CollectiveState> known = from_text<CollectiveState>(state);
  if (!known || *known == CollectiveState::kFailed)
    reject("state: '{}' is not scheduled, started or completed", state);
  entry.state = *known;
  entry.retired = json.flag("retired", false);
  // ProcessGroupGloo has no events: its calls stay "scheduled" when they are done (torch 2.15).
  if (entry.retired && name.starts_with("gloo:")) entry.state = CollectiveState::kCompleted;
  return entry;
}

// A call of an operation or of elements that are not known here, and that is over: nobody waits in it.
bool is_unknown_history(const Json& value) {
  const JsonObject json(value);
  FlightEntry entry;
  if (json.text("state", kMaxText) != "completed") return false;
  if (!parse_profiling_name(json.text("profiling_name", kMaxText), entry)) return true;
  if (is_version_1(value)) return false;
  for (const char* key : {"input_dtypes", "output_dtypes"})
    for (const Json& name : json.array(key, 0, kMaxTensors))
      if (!parse_dtype_name(json_text(name, key, kMaxText))) return true;
  return false;
}

// One after the other, so that a pickle's need not exist all at once.
class Entries {
 public:
  void add(const Json& value) try {
    if (all.size() == kMaxEntries) reject("more than {}", kMaxEntries);
    if (is_unknown_history(value)) return;
    FlightEntry entry = parse_entry(is_version_1(value) ? as_version_2(value) : value);
    if (!all.empty() && entry.record_id <= all.back().record_id)
      reject("record_id: not above the one before");
    all.push_back(std::move(entry));
  } catch (const JsonRejected& rejected) {
    reject("entry {}: {}", all.size(), rejected.why);
  }
  // Gloo makes calls in groups that its pg_config does not have.
  void check_groups(const std::vector<FlightGroup>& known) const {
    std::set<std::string> groups;
    for (const FlightGroup& group : known) groups.insert(group.name);
    for (const FlightEntry& entry : all) groups.insert(entry.group);
    if (groups.size() > kMaxGroups) reject("process_group: more than {} groups", kMaxGroups);
  }
  std::vector<FlightEntry> all;
};

Json parse_values(std::string_view text, Entries& entries) {
  const auto take = [&](const Json& value) {
    if (!value.contains("profiling_name")) return false;
    entries.add(value);
    return true;
  };
  return looks_like_pickle(text) ? parse_pickle(text, 2 * text.size() + kSmall, take)
                                 : parse_json(text,
                                              {.bytes = kMostBytes,
                                               .depth = 8,
                                               .values = kFewValues + text.size() / kBytesPerValue,
                                               .text = kSmall},
                                              take);
}

FlightDump parse_dump(std::string_view text, int rank_if_missing) {
  if (text.starts_with("PK"))
    reject("a zip archive of torch.save; a dump of a flight recorder is a pickle or JSON");
  Entries entries;
  const Json json = parse_values(text, entries);
  const JsonObject object(json);
  const std::string& version = object.text("version", kMaxText);
  const bool first_version = version.starts_with("1.");
  if (!first_version && !version.starts_with("2.")) reject("version: '{}', known are 1 and 2", version);
  const auto rank_of_name = rank_if_missing < 0 ? std::nullopt : std::optional<int64_t>(rank_if_missing);
  FlightDump dump{.rank = int(object.integer("rank", 0, kMaxRanks, rank_of_name)),
                  .groups = parse_groups(object),
                  .entries = {},
                  .time_ns = object.integer("time_ns", 0, kMaxTime, 0)};
  for (const Json& value : object.array("entries", 0, kMaxEntries))
    if (!value.is_null()) entries.add(value);
  entries.check_groups(dump.groups);
  dump.entries = std::move(entries.all);
  if (const Json* value = object.find("broken")) {
    const JsonObject broken(*value);
    dump.broken = {broken.text("group", kMaxText), broken.text("kind", kMaxText),
                   ranks_of(broken.array("ranks", 0, kMaxRanks)), broken.text("text", kMaxText)};
  }
  // PyTorch's dumps do not say it, but records are numbered from 0 and the ring holds the last ones.
  const int64_t before = dump.entries.empty() ? 0 : dump.entries.front().record_id;
  dump.forgotten = object.integer("forgotten", 0, kMaxCount, before);
  if (first_version) number_apart(dump);
  return dump;
}

// "trace_3.json" -> 3; -1 where the name ends in no number.
int rank_of(const fs::path& file) {
  const std::string stem = file.stem().string();
  return read_number<int>(stem.substr(stem.find_last_not_of("0123456789") + 1)).value_or(-1);
}

// Every *.json of a folder; where it has none, every pickle.
std::vector<fs::path> dump_files(const fs::path& folder) {
  const std::string typed = typed_path(folder);
  std::vector<fs::path> files, pickles;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".json")
      files.push_back(it->path());
    else if (is_flight_pickle(it->path().string()))
      pickles.push_back(it->path());
    if (files.size() + pickles.size() > kMaxFiles)
      throw InputError("{}: more than {} dumps", typed, kMaxFiles);
  }
  if (error) throw InputError("{}: {}", typed, error.message());
  if (files.empty()) files = pickles;
  if (files.empty())
    throw InputError("{}: no *.json and no pickle in it{}", typed, folders_in_words(folder.string()));
  std::ranges::sort(files);
  return files;
}

}  // namespace

FlightDump parse_flight_dump(std::string_view text, const std::string& source, int rank_if_missing) try {
  return parse_dump(text, rank_if_missing);
} catch (const JsonRejected& rejected) {
  throw InputError("{}: {}", source, rejected.why);
}

std::string folders_in_words(const std::string& folder) {
  constexpr size_t kMostNamed = 8;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code of_one;
    if (it->is_directory(of_one)) names.push_back(it->path().filename().string());
    if (names.size() >= kMaxFiles) break;
  }
  if (names.empty()) return "";
  std::ranges::sort(names);
  const size_t more = names.size() - std::min(names.size(), kMostNamed);
  names.resize(names.size() - more);
  std::string words = "; one of its folders may be meant:";
  for (size_t i = 0; i < names.size(); ++i)
    words += fmt::format("{} '{}'", i == 0 ? "" : ",", as_typed(names[i]));
  return more == 0 ? words : words + fmt::format(" and {} more", more);
}

bool is_flight_pickle(const std::string& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && looks_like_pickle(read_at_most(file, 3).value_or(""));
}

FlightDump read_flight_dump(const std::string& file) {
  return parse_flight_dump(read_file(file, kMostBytes), typed_path(file), rank_of(file));
}

std::vector<FlightDump> read_flight_dumps(const std::string& path) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  std::vector<FlightDump> dumps;
  for (const fs::path& file : folder ? dump_files(path) : std::vector<fs::path>{path})
    dumps.push_back(read_flight_dump(file.string()));
  std::ranges::sort(dumps, {}, &FlightDump::rank);
  const auto twice = std::ranges::adjacent_find(dumps, {}, &FlightDump::rank);
  if (twice != dumps.end()) throw InputError("{}: two dumps of rank {}", typed_path(path), twice->rank);
  return dumps;
}

}  // namespace ringside::inline flight
