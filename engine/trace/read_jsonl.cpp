// Reads JSONL written by anyone: every byte is checked before it is believed.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <istream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/text.h"
#include "ringside/trace/fields.h"
#include "ringside/trace/files.h"

namespace ringside::inline trace {
namespace {

// Sums of a row's figures, and differences of times, stay far from overflow:
// 18 of the largest are below 2^63. 2^58 ns are nine years.
constexpr int64_t kMaxMagnitude = int64_t{1} << 58;
constexpr const char* kNoTrace = "not a trace as `ringside run --trace FILE.jsonl` writes it";
constexpr size_t kMaxParts =
    16;  // reasons of a ledger row, wrong answers of a prediction, words of an answer

template <typename... Args>
void reject_if(bool wrong, fmt::format_string<Args...> why, Args&&... args) {
  if (wrong) throw JsonRejected(why, std::forward<Args>(args)...);
}

// A number, or the words for those that JSON lacks.
double read_double(const Json& value, std::string_view key) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!value.is_string()) return json_number(value, key, -kInfinity, kInfinity);
  const std::string& word = json_text(value, key);
  reject_if(word != "nan" && word != "inf" && word != "-inf", "{}: not a number", key);
  return word == "nan" ? std::numeric_limits<double>::quiet_NaN() : word == "inf" ? kInfinity : -kInfinity;
}

Attribute read_attribute(const Json& value, const std::string& key) {
  if (value.is_string()) return json_text(value, key);
  if (value.is_boolean()) return json_flag(value, key);
  if (value.is_number_integer()) return json_integer(value, key, -kMaxMagnitude, kMaxMagnitude);
  reject_if(!value.is_number(), "attribute '{}': neither text, a number, nor true or false", key);
  return read_double(value, key);
}

// One JSON object of the file; a visitor of visit_fields.
class Record : public JsonObject {
 public:
  Record(const Json& object, TraceStore& store) : JsonObject(object), object_(object), store_(store) {}

  template <typename T, typename... More>
  void operator()(const char* key, T& field, More&&... more) const {
    read(key, field);
    if constexpr (sizeof...(more) > 0) (*this)(more...);
  }

 private:
  void read(const char* key, NameId& id) const { id = store_.intern(text(key)); }
  void read(const char* key, StorageId& id) const {
    id = static_cast<StorageId>(integer(key, 0, kMaxMagnitude, 0));  // files before it was recorded lack it
  }
  template <std::signed_integral I>
  void read(const char* key, I& value) const {
    constexpr auto kMost = std::min<int64_t>(kMaxMagnitude, std::numeric_limits<I>::max());
    value = static_cast<I>(integer(key, -kMost, kMost));
  }
  void read(const char* key, double& value) const { value = read_double(at(key), key); }
  void read(const char* key, std::string& value) const { value = text(key); }
  void read(const char* key, std::optional<int64_t>& value) const {
    reject_if(!object_.contains(key), "no '{}'", key);
    if (find(key) != nullptr) read(key, value.emplace());
  }
  template <NamedEnum E>
  void read(const char* key, E& value) const {
    value = static_cast<E>(choice(key, texts(E{})));
  }
  void read(const char* key, std::vector<std::string>& words) const {
    if (find(key) == nullptr) return;
    for (const Json& word : array(key, 0, kMaxParts)) words.push_back(json_text(word, key));
  }
  template <typename T>
  void read(const char* key, std::vector<T>& parts) const {
    constexpr size_t kMost = std::is_same_v<T, TraceColumn> ? kMaxColumns : kMaxParts;
    for (const Json& part : array(key, 0, kMost)) visit_fields(parts.emplace_back(), Record(part, store_));
  }

  const Json& object_;
  TraceStore& store_;
};

class JsonlReader {
 public:
  JsonlReader(std::istream& in, std::string name, const TraceLimits& limits)
      : in_(in),
        name_(std::move(name)),
        limits_(limits),
        room_(static_cast<std::streamsize>(limits.line_bytes + 2)) {}

  Trace read() {
    try {
      in_.exceptions(std::ios_base::badbit);
      read_header();
      while (next_line()) read_record(Record(line_, *store_));
    } catch (const JsonRejected& rejected) {
      throw InputError("{}:{}: {}", name_, line_number_, rejected.why);
    } catch (const std::ios_base::failure&) {
      throw InputError("{}:{}: cannot be read further", name_, line_number_);
    }
    store_->set_rows(std::move(rows_));
    return store_->snapshot();
  }

 private:
  // Parses the next line into line_; false at the end of the file. A last line
  // without its line break that is no JSON was cut off: it is left out.
  bool next_line() {
    ++line_number_;
    in_.getline(text_.get(), room_);
    const bool whole = in_.good();
    const auto size = size_t(in_.gcount()) - (whole ? 1 : 0);
    reject_if(size > limits_.line_bytes, "a line longer than {} bytes", limits_.line_bytes);
    if (!whole && size == 0) return false;
    reject_if(line_number_ > limits_.lines, "more than {} lines", limits_.lines);
    line_ = Json::parse(text_.get(), text_.get() + size, nullptr, false);
    if (!line_.is_discarded()) return true;
    reject_if(whole, "{}", line_number_ == 1 ? kNoTrace : "not JSON");
    return false;
  }

  void read_header() {
    store_ = TraceStore::create("");
    reject_if(!next_line(), "not a trace: no header line");
    reject_if(!line_.is_object() || !line_.contains("ringside_trace"), kNoTrace);
    const Record header(line_, *store_);
    const int64_t version = header.integer("ringside_trace", 0, kMaxMagnitude);
    reject_if(version < kOldestTraceFileVersion || version > kTraceFileVersion,
              "version {}: this program reads versions {} to {}", version, kOldestTraceFileVersion,
              kTraceFileVersion);
    store_ = TraceStore::create(header.text("scenario"));
  }

  void read_record(const Record& record) {
    reject_if(ended_, "a line after the end line");
    using Read = void (JsonlReader::*)(const Record&);
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
        {"prediction", &JsonlReader::read_row<&TraceRows::predictions>},
        {"claim", &JsonlReader::read_row<&TraceRows::claims>},
        {"ledger", &JsonlReader::read_row<&TraceRows::ledger>},
        {"outcome", &JsonlReader::read_figure<&TraceRows::outcome>},
        {"outcome_text", &JsonlReader::read_figure<&TraceRows::outcome_text>},
        {"line", &JsonlReader::read_summary_line},
        {"end", &JsonlReader::read_end}};
    const auto reader = readers.find(record.text("type"));
    reject_if(reader == readers.end(), "type: '{}' is not known", record.text("type"));
    (this->*reader->second)(record);
  }

  void read_section(const Record& record) {
    reject_if(int(recorders_.size()) >= limits_.sections, "more than {} sections", limits_.sections);
    const auto ranks = int(record.integer("ranks", 0, limits_.ranks - ranks_));
    const std::string& name = record.text("name");
    reject_if(!section_names_.insert(name).second, "section '{}' comes twice", name);
    const Json& given = record.at("attributes");
    reject_if(!given.is_object(), "attributes: not an object");
    Attributes attributes;
    for (const auto& item : given.items()) attributes[item.key()] = read_attribute(item.value(), item.key());
    ranks_ += ranks;
    recorders_.push_back(store_->add_section(name, std::move(attributes), ranks));
  }

  void read_life(const Record& record) {
    Recorder& recorder = recorder_of(record);
    reject_if(!lives_.insert(&recorder).second, "rank: its coming and going is told twice");
    RankLife life;
    record("began_ns", life.began_ns, "ended_ns", life.ended_ns);
    const bool turned = life.began_ns && life.ended_ns && *life.ended_ns < *life.began_ns;
    reject_if(turned, "ended_ns: {} is before {}", life.ended_ns.value_or(0), life.began_ns.value_or(0));
    if (life.began_ns) recorder.begin(life.began_ns);
    if (life.ended_ns) recorder.end(life.ended_ns);
  }

  void read_message(const Record& record) {
    const auto last = int64_t(recorders_of(record).size()) - 1;
    for (const char* end : {"from", "to"}) record.integer(end, 0, last);
    for (const char* count : {"bytes", "keys"}) record.integer(count, 0, kMaxMagnitude);
    read_event<MessageEvent, &Recorder::message>(record);
  }

  void read_table(const Record& record) {
    reject_if(tables_.size() >= kMaxTables, "more than {} tables", kMaxTables);
    TraceTable table;
    visit_fields(table, record);
    const std::string why = table.why_unfit(), name = table.name;
    reject_if(!why.empty(), "{}", why);
    reject_if(tables_.contains(name), "table '{}' comes twice", name);
    tables_[name] = store_->declare(std::move(table));
  }

  // Each value as its column says.
  void read_table_row(const Record& record) {
    const auto table = tables_.find(record.text("table"));
    reject_if(table == tables_.end(), "table: '{}' is not declared", record.text("table"));
    RowEvent row;
    row.table = table->second;
    record("time_ns", row.time_ns);
    const std::vector<TraceColumn>& columns = row.table->columns;
    for (const Json& value : record.array("values", columns.size(), columns.size())) {
      const auto& [name, kind, unit] = columns[row.values.size()];
      const bool is_number = kind == ColumnKind::kNumber;
      row.values.push_back(is_number ? read_double(value, name) : read_attribute(value, name));
    }
    const std::string why = row.make_fit();
    reject_if(!why.empty(), "{}", why);
    recorder_of(record).row(std::move(row));
  }

  const std::vector<Recorder*>& recorders_of(const Record& record) const {
    const int64_t section = record.integer("section", 0, int64_t(recorders_.size()) - 1);
    return recorders_[size_t(section)];
  }

  Recorder& recorder_of(const Record& record) const {
    const std::vector<Recorder*>& recorders = recorders_of(record);
    const int64_t rank = record.integer("rank", 0, int64_t(recorders.size()) - 1);
    return *recorders[size_t(rank)];
  }

  template <typename Event, void (Recorder::*record_event)(Event)>
  void read_event(const Record& record) {
    Event event;
    visit_fields(event, record);
    (recorder_of(record).*record_event)(event);
  }

  template <auto rows>
  void read_row(const Record& record) {
    visit_fields((rows_.*rows).emplace_back(), record);
  }
  template <auto figures>
  void read_figure(const Record& record) {
    record("value", (rows_.*figures)[record.text("name")]);
  }
  void read_summary_line(const Record& record) { rows_.lines.push_back(record.text("text")); }
  void read_end(const Record& record) {
    ended_ = true;
    if (record.flag("complete")) store_->set_complete();
  }

  std::istream& in_;
  const std::string name_;
  const TraceLimits limits_;
  const std::streamsize room_;  // for a line that is too long by one byte, and an end
  const std::unique_ptr<char[]> text_ = std::make_unique_for_overwrite<char[]>(size_t(room_));
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
    throw InputError(typed_path(path) + ": " + (error ? error.message() : "not a file"));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(typed_path(path) + ": cannot be opened for reading");
  return read_jsonl(in, typed_path(path), limits);
}

}  // namespace ringside::inline trace
