// Reads a dump written by anyone: every value is checked before it is believed.
#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "names.h"
#include "ringside/base/error.h"
#include "ringside/flight/files.h"

namespace ringside {
namespace {

using namespace flight;
using Json = nlohmann::json;

constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr int kMaxDepth = 8;
constexpr size_t kMaxValues = 4'000'000;
constexpr size_t kMaxEntries = 100'000;
constexpr size_t kMaxGroups = 256;
constexpr int64_t kMaxRanks = 20'000;           // of one group
constexpr size_t kMaxGroupRanks = 200'000;      // of all groups together
constexpr size_t kMaxText = 4'096;              // bytes of one string
constexpr int64_t kMaxTime = int64_t{1} << 62;  // ns, of the wall clock in PyTorch's; differences fit
constexpr int64_t kMaxCount = int64_t{1} << 48;

// What is wrong; the caller adds which file and entry.
struct Rejected {
  std::string why;
};

class Object {
 public:
  explicit Object(const Json& json) : json_(json) {
    if (!json.is_object()) throw Rejected{"not a JSON object"};
  }

  const Json* find(const char* key) const {
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  const Json& at(const char* key) const {
    if (const Json* value = find(key)) return *value;
    throw Rejected{fmt::format("no '{}'", key)};
  }
  const Json& array(const char* key, size_t low, size_t high) const {
    const Json& value = at(key);
    if (!value.is_array()) throw Rejected{fmt::format("{}: not an array", key)};
    if (value.size() < low || value.size() > high)
      throw Rejected{fmt::format("{}: {} values, allowed are {} to {}", key, value.size(), low, high)};
    return value;
  }
  int64_t integer(const char* key, int64_t low, int64_t high) const { return whole(at(key), key, low, high); }
  int64_t integer_or(const char* key, int64_t otherwise, int64_t low, int64_t high) const {
    const Json* value = find(key);
    return value == nullptr ? otherwise : whole(*value, key, low, high);
  }
  std::string text(const char* key) const { return string_of(at(key), key); }
  std::string text_or_empty(const char* key) const {
    const Json* value = find(key);
    return value == nullptr ? "" : string_of(*value, key);
  }
  bool flag_or_false(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return false;
    if (!value->is_boolean()) throw Rejected{fmt::format("{}: neither true nor false", key)};
    return value->get<bool>();
  }

  static int64_t whole(const Json& value, std::string_view key, int64_t low, int64_t high) {
    if (!value.is_number_integer()) throw Rejected{fmt::format("{}: not a whole number", key)};
    const bool huge = value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX};
    if (huge || value.get<int64_t>() < low || value.get<int64_t>() > high)
      throw Rejected{fmt::format("{}: {} is outside {} to {}", key, value.dump(), low, high)};
    return value.get<int64_t>();
  }
  static std::string string_of(const Json& value, std::string_view key) {
    if (!value.is_string()) throw Rejected{fmt::format("{}: not a string", key)};
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > kMaxText) throw Rejected{fmt::format("{}: longer than {} bytes", key, kMaxText)};
    return text;
  }

 private:
  const Json& json_;
};

Json parse_bounded(std::string_view text) {
  if (text.size() > kMaxBytes) throw Rejected{fmt::format("more than {} bytes", kMaxBytes)};
  if (text.starts_with('\x80') || text.starts_with("PK"))
    throw Rejected{"a pickle, which can run code when it is read; only a JSON dump is"};
  size_t values = 0;
  const auto bound = [&values](int depth, Json::parse_event_t, const Json&) {
    if (depth > kMaxDepth) throw Rejected{fmt::format("nested deeper than {}", kMaxDepth)};
    if (++values > kMaxValues) throw Rejected{fmt::format("more than {} values", kMaxValues)};
    return true;
  };
  Json json = Json::parse(text, bound, false);
  if (json.is_discarded()) throw Rejected{"not JSON"};
  return json;
}

// "[0, 1, 2]", a string as PyTorch has it.
std::vector<int> parse_ranks(const std::string& text) {
  const Json json = text.size() > kMaxRanks * 8 ? Json() : Json::parse(text, nullptr, false);
  if (!json.is_array() || json.empty()) throw Rejected{"ranks: not a list of ranks as text, \"[0, 1]\""};
  std::vector<int> ranks;
  for (const Json& rank : json) ranks.push_back(static_cast<int>(Object::whole(rank, "ranks", 0, kMaxRanks)));
  std::set<int> once(ranks.begin(), ranks.end());
  if (once.size() != ranks.size()) throw Rejected{"ranks: a rank comes twice"};
  return ranks;
}

std::vector<FlightGroup> parse_groups(const Object& dump) {
  const Json& config = dump.at("pg_config");
  if (!config.is_object()) throw Rejected{"pg_config: not an object"};
  if (config.size() > kMaxGroups) throw Rejected{fmt::format("pg_config: more than {} groups", kMaxGroups)};
  std::vector<std::pair<int64_t, FlightGroup>> groups;
  size_t ranks = 0;
  for (const auto& item : config.items()) {
    try {
      const Object group(item.value());
      const std::string name = Object::string_of(item.key(), "name");
      const Json& members = group.at("ranks");
      if (!members.is_string()) throw Rejected{"ranks: not a string"};
      groups.push_back({group.integer_or("index", 0, 0, kMaxGroups),
                        {name, group.text_or_empty("desc"), parse_ranks(members.get<std::string>())}});
    } catch (const Rejected& rejected) {
      throw Rejected{fmt::format("pg_config: '{}': {}", item.key().substr(0, 100), rejected.why)};
    }
    ranks += groups.back().second.ranks.size();
    if (ranks > kMaxGroupRanks) throw Rejected{fmt::format("pg_config: more than {} ranks", kMaxGroupRanks)};
  }
  std::stable_sort(groups.begin(), groups.end(), [](auto& a, auto& b) { return a.first < b.first; });
  std::vector<FlightGroup> result;
  for (auto& [index, group] : groups) result.push_back(std::move(group));
  return result;
}

// [[2, 3], [4]] are two tensors of together 10 elements; [] is none.
int64_t parse_sizes(const Object& entry, const char* key) {
  int64_t total = 0;
  for (const Json& tensor : entry.array(key, 0, 100'000)) {
    if (!tensor.is_array()) throw Rejected{fmt::format("{}: not an array of arrays", key)};
    int64_t elements = 1;
    for (const Json& size : tensor) {
      const int64_t extent = Object::whole(size, key, 0, kMaxCount);
      if (extent != 0 && elements > kMaxCount / extent) throw Rejected{fmt::format("{}: too large", key)};
      elements *= extent;
    }
    total += elements;
    if (total > kMaxCount) throw Rejected{fmt::format("{}: too large", key)};
  }
  return total;
}

Dtype parse_entry_dtype(const Object& entry) {
  for (const char* key : {"input_dtypes", "output_dtypes"})
    for (const Json& name : entry.array(key, 0, 100'000)) {
      const std::string text = Object::string_of(name, key);
      const std::optional<Dtype> dtype = parse_dtype_name(text);
      if (!dtype) throw Rejected{fmt::format("{}: '{}' is not known", key, text)};
      return *dtype;
    }
  return Dtype::kUInt8;  // of nothing
}

void parse_call(const Object& json, FlightEntry& entry) {
  const std::string name = json.text("profiling_name");
  const std::string bare = name.starts_with("ringside:") ? name.substr(9) : "";
  if (const std::optional<Op> op = from_text<Op>(bare); op && *op != Op::kSend && *op != Op::kRecv) {
    entry.op = *op;
  } else {
    const std::optional<ParsedName> parsed = parse_profiling_name(name);
    if (!parsed) throw Rejected{fmt::format("profiling_name: '{}' is not known", name)};
    entry.op = parsed->op;
    entry.peer = parsed->peer.value_or(-1);
  }
  entry.peer = static_cast<int>(json.integer_or("peer", entry.peer, -1, kMaxRanks));
  entry.dtype = parse_entry_dtype(json);
  entry.elements_in = parse_sizes(json, "input_sizes");
  entry.elements_out = parse_sizes(json, "output_sizes");
  entry.collective_seq_id = json.integer("collective_seq_id", -1, kMaxCount);
  entry.p2p_seq_id = json.integer_or("p2p_seq_id", 0, -1, kMaxCount);
}

FlightEntry parse_entry(const Json& value) {
  const Object json(value);
  FlightEntry entry;
  entry.record_id = json.integer("record_id", 0, kMaxCount);
  entry.group = Object::string_of(json.array("process_group", 1, 2)[0], "process_group");
  parse_call(json, entry);
  entry.tag = json.text_or_empty("tag");
  entry.unit = json.text_or_empty("unit");
  entry.time_created_ns = json.integer("time_created_ns", 0, kMaxTime);
  entry.time_discovered_started_ns = json.integer_or("time_discovered_started_ns", 0, 0, kMaxTime);
  entry.time_discovered_completed_ns = json.integer_or("time_discovered_completed_ns", 0, 0, kMaxTime);
  entry.timeout_ms = json.integer_or("timeout_ms", 0, 0, kMaxCount);
  const std::string state = json.text("state");
  const std::optional<CollectiveState> known = from_text<CollectiveState>(state);
  if (!known || *known == CollectiveState::kFailed)
    throw Rejected{fmt::format("state: '{}' is not scheduled, started or completed", state)};
  entry.state = *known;
  entry.retired = json.flag_or_false("retired");
  // ProcessGroupGloo has no events: its calls stay "scheduled" when they are done (torch 2.15).
  if (entry.retired && json.text("profiling_name").starts_with("gloo:"))
    entry.state = CollectiveState::kCompleted;
  return entry;
}

void parse_entries(const Object& json, FlightDump& dump) {
  std::set<std::string> groups;
  for (const FlightGroup& group : dump.groups) groups.insert(group.name);
  size_t number = 0;
  for (const Json& value : json.array("entries", 0, kMaxEntries)) {
    try {
      dump.entries.push_back(parse_entry(value));
      const FlightEntry& entry = dump.entries.back();
      groups.insert(entry.group);  // not all that Gloo uses are in its pg_config
      if (groups.size() > kMaxGroups)
        throw Rejected{fmt::format("process_group: more than {} groups", kMaxGroups)};
      if (number > 0 && entry.record_id <= dump.entries[number - 1].record_id)
        throw Rejected{"record_id: not above the one before"};
    } catch (const Rejected& rejected) {
      throw Rejected{fmt::format("entry {}: {}", number, rejected.why)};
    }
    ++number;
  }
}

std::optional<FlightBreak> parse_broken(const Object& dump) {
  const Json* json = dump.find("broken");
  if (json == nullptr) return std::nullopt;
  const Object object(*json);
  FlightBreak broken{object.text("group"), object.text("kind"), {}, object.text("text")};
  for (const Json& rank : object.array("ranks", 0, kMaxRanks))
    broken.ranks.push_back(static_cast<int>(Object::whole(rank, "ranks", 0, kMaxRanks)));
  return broken;
}

}  // namespace

FlightDump parse_flight_json(std::string_view text, const std::string& source, int rank_if_missing) {
  try {
    const Json json = parse_bounded(text);
    const Object object(json);
    const std::string version = object.text("version");
    if (!version.starts_with("2.")) throw Rejected{fmt::format("version: '{}', known is 2", version)};
    FlightDump dump;
    if (rank_if_missing < 0) object.at("rank");
    dump.rank = static_cast<int>(object.integer_or("rank", rank_if_missing, 0, kMaxRanks));
    dump.time_ns = object.integer_or("time_ns", 0, 0, kMaxTime);
    dump.broken = parse_broken(object);
    dump.groups = parse_groups(object);
    parse_entries(object, dump);
    // The ring holds the last ones, so the first record's number tells how many were before it.
    dump.forgotten = object.integer_or("forgotten", dump.entries.empty() ? 0 : dump.entries.front().record_id,
                                       0, kMaxCount);
    return dump;
  } catch (const Rejected& rejected) {
    throw InputError(fmt::format("{}: {}", source, rejected.why));
  }
}

}  // namespace ringside
