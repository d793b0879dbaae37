// A dump as files. One function lists the fields of an entry for both readers: the JSON is for us and for
// people, the pickle is for PyTorch's analyzer (torch/distributed/flight_recorder/components: loader.py,
// builder.py, types.py), which reads nothing else and knows only PyTorch's names.
#include <algorithm>
#include <bit>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "names.h"
#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/flight/files.h"

namespace ringside::inline flight {
namespace {

using namespace flight;
using Ordered = nlohmann::ordered_json;

constexpr const char* kVersion = "2.10";  // of the Flight Recorder whose fields these are

// The analyzer takes neighbours of one group with equal numbers for parts of one coalesced call, a collective
// and a send among them. It pairs sends by collective_seq_id alone. So each send gets a p2p_seq_id that no
// other call has.
constexpr int64_t kFirstP2pNumber = int64_t{1} << 40;

std::string json_text_of(const Ordered& json) {
  return json.dump(-1, ' ', false, Ordered::error_handler_t::replace);
}
std::string valid_utf8(const std::string& text) {  // bytes that are no UTF-8 become U+FFFD
  return Ordered::parse(json_text_of(text)).get<std::string>();
}

Ordered groups_json(const FlightDump& dump, Words words) {
  Ordered groups = Ordered::object();
  for (size_t i = 0; i < dump.groups.size(); ++i) {
    const FlightGroup& group = dump.groups[i];
    Ordered& json = groups[valid_utf8(group.name)];
    json = {
        {"name", group.name},
        {"desc", group.description},
        {"ranks", fmt::format("[{}]", fmt::join(group.ranks, ", "))}};  // a text: the analyzer evaluates it
    if (words == Words::kOurs) json["index"] = i;
  }
  return groups;
}

// The last collective of each group that came so far, -1 where none did.
Ordered status_json(const FlightDump& dump) {
  Ordered all = Ordered::object();
  for (size_t i = 0; i < dump.groups.size(); ++i) {
    int64_t enqueued = -1, started = -1, completed = -1;
    for (const FlightEntry& entry : dump.entries) {
      if (entry.group != dump.groups[i].name || entry.is_p2p()) continue;
      const int64_t seq = entry.collective_seq_id;
      enqueued = std::max(enqueued, seq);
      if (entry.state != CollectiveState::kScheduled) started = std::max(started, seq);
      if (entry.state == CollectiveState::kCompleted) completed = std::max(completed, seq);
    }
    all[std::to_string(i)] = {{"last_enqueued_collective", enqueued},
                              {"last_started_collective", started},
                              {"last_completed_collective", completed}};
  }
  return all;
}

void add_duration(Ordered& json, const FlightEntry& entry) {
  if (entry.time_discovered_started_ns == 0 || entry.time_discovered_completed_ns == 0) return;
  const int64_t ns = entry.time_discovered_completed_ns - entry.time_discovered_started_ns;
  json["duration_ms"] = double(ns) / 1e6;
}

// What only one of the two readers takes stands at the end, or depends on `words`.
Ordered entry_json(const FlightDump& dump, const FlightEntry& entry, Words words) {
  const bool ours = words == Words::kOurs;
  static const FlightGroup kUnknown;
  const auto found = std::ranges::find(dump.groups, entry.group, &FlightGroup::name);
  const FlightGroup& group = found == dump.groups.end() ? kUnknown : *found;
  const auto place = std::ranges::find(group.ranks, dump.rank);
  const bool member = place != group.ranks.end();
  const int self = member ? int(place - group.ranks.begin()) : dump.rank;
  const Ordered dtypes = Ordered::array({dtype_name(entry.dtype, words)});
  const auto time = [&](int64_t ns) { return ns == 0 && !ours ? Ordered() : Ordered(ns); };
  const int64_t p2p_number = entry.is_p2p() ? kFirstP2pNumber + entry.record_id : 0;
  Ordered json = {{"record_id", entry.record_id},
                  {"pg_id", found - dump.groups.begin()},
                  {"process_group", Ordered::array({entry.group, group.description})},
                  {"collective_seq_id", entry.collective_seq_id},
                  {"p2p_seq_id", ours ? entry.p2p_seq_id : p2p_number},
                  {"op_id", entry.record_id},
                  {"profiling_name", profiling_name(entry, self, words)},
                  {"input_sizes", Ordered::array({Ordered::array({entry.elements_in})})},
                  {"input_dtypes", dtypes},
                  {"output_sizes", Ordered::array({Ordered::array({entry.elements_out})})},
                  {"output_dtypes", dtypes},
                  {"time_created_ns", entry.time_created_ns},
                  {"time_discovered_started_ns", time(entry.time_discovered_started_ns)},
                  {"time_discovered_completed_ns", time(entry.time_discovered_completed_ns)}};
  if (!ours) add_duration(json, entry);
  json.update({{"timeout_ms", entry.timeout_ms},
               {"is_p2p", entry.is_p2p()},
               {"state", to_string(entry.state)},
               {"retired", entry.retired}});
  if (ours) {
    json.update({{"peer", entry.peer}, {"tag", entry.tag}, {"unit", entry.unit}});
    add_duration(json, entry);
  } else {  // the line of code that made the call is, in ours, what the call carries
    json["frames"] = Ordered::array({{{"name", entry.tag}, {"filename", entry.unit}, {"line", 0}}});
  }
  return json;
}

// Plain values as a pickle, protocol 2 (PEP 307, Lib/pickletools.py): nothing in it is called when it is
// read.
class Pickle {
 public:
  explicit Pickle(const Ordered& json) {
    bytes_ += {kProto, '\x02'};
    value(json);
    bytes_ += kStop;
  }
  std::string bytes() && { return std::move(bytes_); }

 private:
  // Opcodes, by their names in Lib/pickle.py.
  static constexpr char kProto = '\x80', kStop = '.', kMark = '(';
  static constexpr char kEmptyDict = '}', kSetItems = 'u', kEmptyList = ']', kAppends = 'e', kTuple = 't';
  static constexpr char kBinUnicode = 'X', kBinInt = 'J', kLong1 = '\x8a', kBinFloat = 'G';
  static constexpr char kNewTrue = '\x88', kNewFalse = '\x89', kNone = 'N';

  void value(const Ordered& json, bool as_tuple = false) {
    if (json.is_object()) {
      bytes_ += {kEmptyDict, kMark};
      for (const auto& [key, of_key] : json.items()) {
        text(key);
        // The analyzer uses an entry's group and description as a key of a dict: they must be a tuple.
        value(of_key, key == "process_group");
      }
      bytes_ += kSetItems;
    } else if (json.is_array()) {
      if (!as_tuple) bytes_ += kEmptyList;
      bytes_ += kMark;
      for (const Ordered& part : json) value(part);
      bytes_ += as_tuple ? kTuple : kAppends;
    } else if (json.is_string()) {
      text(valid_utf8(json.get<std::string>()));
    } else if (json.is_boolean()) {
      bytes_ += json.get<bool>() ? kNewTrue : kNewFalse;
    } else if (json.is_number_integer()) {
      integer(json.get<int64_t>());
    } else if (json.is_number_float()) {
      bytes_ += kBinFloat;  // the one number that is big endian
      const auto bits = std::bit_cast<uint64_t>(json.get<double>());
      for (int shift = 56; shift >= 0; shift -= 8) bytes_ += char(bits >> shift & 0xff);
    } else {
      bytes_ += kNone;
    }
  }

  void text(const std::string& utf8) {
    bytes_ += kBinUnicode;
    append_little_endian(utf8.size(), 4);
    bytes_ += utf8;
  }

  void integer(int64_t number) {
    const bool small = number >= INT32_MIN && number <= INT32_MAX;
    bytes_ += small ? std::string{kBinInt} : std::string{kLong1, '\x08'};  // 8 bytes follow
    append_little_endian(static_cast<uint64_t>(number), small ? 4 : 8);
  }

  void append_little_endian(uint64_t number, int count) {
    for (int i = 0; i < count; ++i) bytes_ += char(number >> 8 * i & 0xff);
  }

  std::string bytes_;
};

}  // namespace

// A line an entry, so that a person can read it.
std::string flight_json(const FlightDump& dump) {
  std::string text = fmt::format(
      "{{\"version\":\"{}\",\"rank\":{},\"forgotten\":{},\"time_ns\":{},\n\"pg_config\":{},\n\"pg_status\":{}"
      ",\n",
      kVersion, dump.rank, dump.forgotten, dump.time_ns, json_text_of(groups_json(dump, Words::kOurs)),
      json_text_of(status_json(dump)));
  if (const auto& broken = dump.broken)
    text += fmt::format("\"broken\":{},\n", json_text_of({{"group", broken->group},
                                                          {"kind", broken->kind},
                                                          {"ranks", broken->ranks},
                                                          {"text", broken->text}}));
  std::vector<std::string> entries;
  for (const FlightEntry& entry : dump.entries)
    entries.push_back("\n" + json_text_of(entry_json(dump, entry, Words::kOurs)));
  return fmt::format("{}\"entries\":[{}]}}\n", text, fmt::join(entries, ","));
}

std::string flight_pickle(const FlightDump& dump) {
  Ordered entries = Ordered::array();
  for (const FlightEntry& entry : dump.entries) entries.push_back(entry_json(dump, entry, Words::kPyTorch));
  return Pickle({{"version", kVersion},
                 {"pg_config", groups_json(dump, Words::kPyTorch)},
                 {"pg_status", status_json(dump)},
                 {"entries", entries},
                 {"rank", dump.rank}})
      .bytes();
}

void write_flight_dumps(const std::vector<FlightDump>& dumps, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError("{}: {}", folder, error.message());
  for (const FlightDump& dump : dumps) {
    write_file_atomically(fmt::format("{}/flight_{}.json", folder, dump.rank),
                          [&](std::ostream& out) { out << flight_json(dump); });
    write_file_atomically(fmt::format("{}/rank_{}", folder, dump.rank),
                          [&](std::ostream& out) { out << flight_pickle(dump); });
  }
}

}  // namespace ringside::inline flight
