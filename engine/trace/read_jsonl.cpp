// Reads JSONL written by anyone: every byte is checked before it is believed.
#include <cmath>
#include <cstdint>
#include <fstream>
#include <istream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fields.h"
#include "ringside/base/error.h"
#include "ringside/trace/files.h"

namespace ringside {
namespace {

using Json = nlohmann::json;

// Sums of a row's figures, and differences of times, stay far from overflow:
// 18 of the largest are below 2^63. 2^58 ns are nine years.
constexpr int64_t kMaxMagnitude = int64_t{1} << 58;
constexpr const char* kNoTrace = "not a trace as `ringside run --trace FILE.jsonl` writes it";
constexpr size_t kMaxParts = 16;  // reasons of a ledger row, wrong answers of a prediction
template <typename T>
constexpr size_t kMostParts = kMaxParts;
template <>
constexpr size_t kMostParts<TraceColumn> = kMaxColumns;

std::optional<CollectiveState> parse_enum(std::string_view text, CollectiveState) {
  return parse_collective_state(text);
}
std::optional<Op> parse_enum(std::string_view text, Op) { return parse_op(text); }
std::optional<Dtype> parse_enum(std::string_view text, Dtype) { return parse_dtype(text); }
std::optional<Category> parse_enum(std::string_view text, Category) { return parse_category(text); }
std::optional<ColumnKind> parse_enum(std::string_view text, ColumnKind) {
  return from_text<ColumnKind>(text);
}
std::optional<MessageState> parse_enum(std::string_view text, MessageState) {
  return from_text<MessageState>(text);
}
std::optional<Verdict> parse_enum(std::string_view text, Verdict) { return parse_verdict(text); }

// What is wrong with a line; the reader adds where.
struct Rejected {
  std::string why;
};

// One JSON object of the file; a visitor of visit_fields.
class ObjectReader {
 public:
  ObjectReader(const Json& object, TraceStore& store) : object_(object), store_(store) {
    if (!object.is_object()) throw Rejected{"not a JSON object"};
  }

  void operator()(const char* key, NameId& id) const { id = store_.intern(text(key)); }
  void operator()(const char* key, int64_t& value) const {
    value = integer(key, -kMaxMagnitude, kMaxMagnitude);
  }
  void operator()(const char* key, int32_t& value) const {
    value = static_cast<int32_t>(
        integer(key, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
  }
  void operator()(const char* key, double& value) const { value = real(key); }
  void operator()(const char* key, std::string& value) const { value = text(key); }
  void operator()(const char* key, std::optional<int64_t>& value) const {
    value.reset();
    if (!at(key).is_null()) (*this)(key, value.emplace());
  }
  template <typename E>
  requires std::is_enum_v<E>
  void operator()(const char* key, E& value) const {
    const std::optional<E> known = parse_enum(text(key), E{});
    if (!known) throw Rejected{fmt::format("{}: '{}' is not known", key, text(key))};
    value = *known;
  }
  template <typename T>
  void operator()(const char* key, std::vector<T>& parts) const {
    const Json& array = at(key);
    if (!array.is_array()) throw Rejected{fmt::format("{}: not an array", key)};
    if (array.size() > kMostParts<T>)
      throw Rejected{fmt::format("{}: more than {} entries", key, kMostParts<T>)};
    for (const Json& part : array) visit_fields(parts.emplace_back(), ObjectReader(part, store_));
  }

  const Json& at(const std::string& key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) throw Rejected{fmt::format("no '{}'", key)};
    return *found;
  }
  const std::string& text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string()) throw Rejected{fmt::format("{}: not a string", key)};
    return value.get_ref<const std::string&>();
  }
  int64_t integer(const char* key, int64_t low, int64_t high) const {
    const Json& value = at(key);
    if (!value.is_number_integer()) throw Rejected{fmt::format("{}: not a whole number", key)};
    const bool huge = value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX};
    if (huge || value.get<int64_t>() < low || value.get<int64_t>() > high)
      throw Rejected{fmt::format("{}: {} is outside {} to {}", key, value.dump(), low, high)};
    return value.get<int64_t>();
  }
  double real(const char* key) const {
    const Json& value = at(key);
    if (value.is_number()) return value.get<double>();
    const std::string& name = text(key);
    if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (name == "inf") return std::numeric_limits<double>::infinity();
    if (name == "-inf") return -std::numeric_limits<double>::infinity();
    throw Rejected{fmt::format("{}: not a number", key)};
  }
  Attribute attribute(const std::string& key) const {
    const Json& value = at(key.c_str());
    if (value.is_string()) return text(key.c_str());
    if (value.is_boolean()) return flag(key.c_str());
    if (value.is_number_integer()) return integer(key.c_str(), -kMaxMagnitude, kMaxMagnitude);
    if (value.is_number()) return real(key.c_str());
    throw Rejected{fmt::format("attribute '{}': neither text, a number, nor true or false", key)};
  }
  // The values of a row, each read as its column says.
  std::vector<Attribute> cells(const char* key, const TraceTable& table) const {
    const Json& array = at(key);
    if (!array.is_array()) throw Rejected{fmt::format("{}: not an array", key)};
    if (array.size() != table.columns.size())
      throw Rejected{fmt::format("{}: {} of them, table '{}' has {} columns", key, array.size(), table.name,
                                 table.columns.size())};
    std::vector<Attribute> values;
    for (size_t i = 0; i < array.size(); ++i) {
      const std::string& name = table.columns[i].name;
      const Json one = {{name, array[i]}};
      values.push_back(ObjectReader(one, store_).cell(name.c_str(), table.columns[i].kind));
    }
    return values;
  }
  Attribute cell(const char* key, ColumnKind kind) const {
    switch (kind) {
      case ColumnKind::kText:
        return text(key);
      case ColumnKind::kInteger:
        return integer(key, -kMaxMagnitude, kMaxMagnitude);
      case ColumnKind::kNumber:
        return real(key);
      case ColumnKind::kBoolean:
        return flag(key);
    }
    throw Rejected{fmt::format("{}: of no kind", key)};
  }
  bool flag(const char* key) const {
    if (!at(key).is_boolean()) throw Rejected{fmt::format("{}: neither true nor false", key)};
    return at(key).get<bool>();
  }

 private:
  const Json& object_;
  TraceStore& store_;
};

class JsonlReader {
 public:
  JsonlReader(std::istream& in, std::string name, const TraceLimits& limits)
      : in_(in), name_(std::move(name)), limits_(limits) {}

  Trace read() {
    try {
      read_header();
      while (next_line()) read_record(ObjectReader(line_, *store_));
    } catch (const Rejected& rejected) {
      throw InputError(fmt::format("{}:{}: {}", name_, line_number_, rejected.why));
    } catch (const std::ios_base::failure&) {
      throw InputError(fmt::format("{}:{}: cannot be read further", name_, line_number_));
    }
    store_->set_rows(std::move(rows_));
    return store_->snapshot();
  }

 private:
  // Reads up to the next line break, or to the end of the file; true where there was one.
  bool next_text() {
    std::streambuf& bytes = *in_.rdbuf();
    text_.clear();
    for (int byte = bytes.sbumpc(); byte != std::char_traits<char>::eof(); byte = bytes.sbumpc()) {
      if (byte == '\n') return true;
      if (text_.size() == limits_.line_bytes)
        throw Rejected{fmt::format("a line longer than {} bytes", limits_.line_bytes)};
      text_.push_back(static_cast<char>(byte));
    }
    return false;
  }

  // Parses the next line into line_; false at the end of the file. A last line
  // without its line break that is no JSON was cut off: it is left out.
  bool next_line() {
    ++line_number_;
    const bool whole = next_text();
    if (!whole && text_.empty()) return false;
    if (line_number_ > limits_.lines) throw Rejected{fmt::format("more than {} lines", limits_.lines)};
    line_ = Json::parse(text_, nullptr, false);
    if (!line_.is_discarded()) return true;
    if (whole) throw Rejected{line_number_ == 1 ? kNoTrace : "not JSON"};
    return false;
  }

  void read_header() {
    store_ = TraceStore::create("");
    if (!next_line()) throw Rejected{"not a trace: no header line"};
    if (!line_.is_object() || !line_.contains("ringside_trace")) throw Rejected{kNoTrace};
    const ObjectReader header(line_, *store_);
    const int64_t version = header.integer("ringside_trace", 0, kMaxMagnitude);
    if (version < kOldestTraceFileVersion || version > kTraceFileVersion)
      throw Rejected{fmt::format("version {}: this program reads versions {} to {}", version,
                                 kOldestTraceFileVersion, kTraceFileVersion)};
    store_ = TraceStore::create(header.text("scenario"));
  }

  void read_record(const ObjectReader& record) {
    if (ended_) throw Rejected{"a line after the end line"};
    using Read = void (JsonlReader::*)(const ObjectReader&);
    static const std::map<std::string, Read, std::less<>> readers = {
        {"section", &JsonlReader::read_section},
        {"rank", &JsonlReader::read_life},
        {"collective", &JsonlReader::read_event<CollectiveEvent, &Recorder::collective>},
        {"memory", &JsonlReader::read_event<MemoryEvent, &Recorder::memory>},
        {"span", &JsonlReader::read_event<SpanEvent, &Recorder::span>},
        {"scalar", &JsonlReader::read_event<ScalarEvent, &Recorder::scalar>},
        {"note", &JsonlReader::read_event<NoteEvent, &Recorder::note>},
        {"message", &JsonlReader::read_message},
        {"table", &JsonlReader::read_table},
        {"row", &JsonlReader::read_table_row},
        {"prediction", &JsonlReader::read_row<PredictionRow, &TraceRows::predictions>},
        {"claim", &JsonlReader::read_row<ClaimRow, &TraceRows::claims>},
        {"ledger", &JsonlReader::read_row<LedgerRow, &TraceRows::ledger>},
        {"outcome", &JsonlReader::read_outcome},
        {"outcome_text", &JsonlReader::read_outcome_text},
        {"line", &JsonlReader::read_summary_line},
        {"end", &JsonlReader::read_end}};
    const auto reader = readers.find(record.text("type"));
    if (reader == readers.end()) throw Rejected{fmt::format("type: '{}' is not known", record.text("type"))};
    (this->*reader->second)(record);
  }

  void read_section(const ObjectReader& record) {
    if (static_cast<int>(recorders_.size()) >= limits_.sections)
      throw Rejected{fmt::format("more than {} sections", limits_.sections)};
    const auto ranks = static_cast<int>(record.integer("ranks", 0, limits_.ranks - ranks_));
    const std::string& name = record.text("name");
    if (!section_names_.insert(name).second) throw Rejected{fmt::format("section '{}' comes twice", name)};
    const Json& given = record.at("attributes");
    if (!given.is_object()) throw Rejected{"attributes: not an object"};
    Attributes attributes;
    const ObjectReader values(given, *store_);
    for (const auto& item : given.items()) attributes[item.key()] = values.attribute(item.key());
    ranks_ += ranks;
    recorders_.push_back(store_->add_section(name, std::move(attributes), ranks));
  }

  void read_life(const ObjectReader& record) {
    Recorder& recorder = recorder_of(record);
    if (!lives_.insert(&recorder).second) throw Rejected{"rank: its coming and going is told twice"};
    RankLife life;
    record("began_ns", life.began_ns);
    record("ended_ns", life.ended_ns);
    if (life.began_ns && life.ended_ns && *life.ended_ns < *life.began_ns)
      throw Rejected{fmt::format("ended_ns: {} is before {}", *life.ended_ns, *life.began_ns)};
    if (life.began_ns) recorder.begin(life.began_ns);
    if (life.ended_ns) recorder.end(life.ended_ns);
  }

  void read_message(const ObjectReader& record) {
    Recorder& recorder = recorder_of(record);
    const auto last = static_cast<int64_t>(recorders_of(record).size()) - 1;
    MessageEvent event;
    visit_fields(event, record);
    for (const char* end : {"from", "to"}) record.integer(end, 0, last);
    for (const char* count : {"bytes", "keys"}) record.integer(count, 0, kMaxMagnitude);
    recorder.message(event);
  }

  void read_table(const ObjectReader& record) {
    if (tables_.size() >= kMaxTables) throw Rejected{fmt::format("more than {} tables", kMaxTables)};
    TraceTable table;
    visit_fields(table, record);
    if (const std::string why = table.why_unfit(); !why.empty()) throw Rejected{why};
    if (tables_.count(table.name) != 0) throw Rejected{fmt::format("table '{}' comes twice", table.name)};
    const std::string name = table.name;
    tables_[name] = store_->declare(std::move(table));
  }

  void read_table_row(const ObjectReader& record) {
    const auto table = tables_.find(record.text("table"));
    if (table == tables_.end())
      throw Rejected{fmt::format("table: '{}' is not declared", record.text("table"))};
    RowEvent row;
    row.table = table->second;
    record("time_ns", row.time_ns);
    row.values = record.cells("values", *row.table);
    if (const std::string why = row.make_fit(); !why.empty()) throw Rejected{why};
    recorder_of(record).row(std::move(row));
  }

  const std::vector<Recorder*>& recorders_of(const ObjectReader& record) const {
    const int64_t section = record.integer("section", 0, static_cast<int64_t>(recorders_.size()) - 1);
    return recorders_[static_cast<size_t>(section)];
  }

  Recorder& recorder_of(const ObjectReader& record) const {
    const std::vector<Recorder*>& recorders = recorders_of(record);
    const int64_t rank = record.integer("rank", 0, static_cast<int64_t>(recorders.size()) - 1);
    return *recorders[static_cast<size_t>(rank)];
  }

  template <typename Event, void (Recorder::*record_event)(Event)>
  void read_event(const ObjectReader& record) {
    Event event;
    visit_fields(event, record);
    (recorder_of(record).*record_event)(event);
  }

  template <typename T, std::vector<T> TraceRows::*rows>
  void read_row(const ObjectReader& record) {
    visit_fields((rows_.*rows).emplace_back(), record);
  }
  void read_outcome(const ObjectReader& record) { rows_.outcome[record.text("name")] = record.real("value"); }
  void read_outcome_text(const ObjectReader& record) {
    rows_.outcome_text[record.text("name")] = record.text("value");
  }
  void read_summary_line(const ObjectReader& record) { rows_.lines.push_back(record.text("text")); }
  void read_end(const ObjectReader& record) {
    ended_ = true;
    if (record.flag("complete")) store_->set_complete();
  }

  std::istream& in_;
  const std::string name_;
  const TraceLimits limits_;
  std::string text_;  // of line_
  Json line_;
  size_t line_number_ = 0;
  std::shared_ptr<TraceStore> store_;
  std::vector<std::vector<Recorder*>> recorders_;  // [section][rank]
  std::set<std::string> section_names_;
  std::set<const Recorder*> lives_;
  std::map<std::string, TablePtr> tables_;
  int ranks_ = 0;
  TraceRows rows_;
  bool ended_ = false;
};

}  // namespace

Trace read_jsonl(std::istream& in, const std::string& name, const TraceLimits& limits) {
  return JsonlReader(in, name, limits).read();
}

Trace read_jsonl(const std::filesystem::path& path, const TraceLimits& limits) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw InputError(path.string() + ": " + (error ? error.message() : "not a file"));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path.string() + ": cannot be opened for reading");
  return read_jsonl(in, path.string(), limits);
}

}  // namespace ringside
