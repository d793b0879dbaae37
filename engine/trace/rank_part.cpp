#include "ringside/trace/rank_part.h"

#include <bit>
#include <unordered_map>

#include "ringside/base/error.h"
#include "ringside/trace/fields.h"

namespace ringside::inline trace {
namespace {

constexpr uint64_t kPartMagic = 0x3154525052;      // "RPRT1", with its version
constexpr int64_t kMostOfPart = int64_t{1} << 58;  // of a number, as in a file
constexpr size_t kMostName = 1 << 16;

// The tracks of events in the order of a part and of TrackMarks.
void visit_tracks(auto& tracks, auto&& visit) {
  visit(tracks.collectives);
  for (auto& of_category : tracks.memory) visit(of_category);
  visit(tracks.spans), visit(tracks.scalars), visit(tracks.notes);
  visit(tracks.messages), visit(tracks.rows);
}

TrackMarks marks_of(const RankTracks& tracks) {
  TrackMarks marks;
  size_t place = 0;
  visit_tracks(tracks, [&](const auto& track) { marks.sizes[place++] = track.size(); });
  return marks;
}

void record(Recorder& into, const CollectiveEvent& event) { into.collective(event); }
void record(Recorder& into, const MemoryEvent& event) { into.memory(event); }
void record(Recorder& into, const SpanEvent& event) { into.span(event); }
void record(Recorder& into, const ScalarEvent& event) { into.scalar(event); }
void record(Recorder& into, const NoteEvent& event) { into.note(event); }
void record(Recorder& into, const MessageEvent& event) { into.message(event); }
void record(Recorder& into, RowEvent row) {
  row.table = into.declare(*row.table);
  into.row(std::move(row));
}

// Integers in groups of seven bits, the lowest first; signed ones as 0, -1, 1, -2, ...
class PartWriter {
 public:
  explicit PartWriter(const TraceStore& store) : store_(store) {}

  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) body_.push_back(char(value | 0x80));
    body_.push_back(char(value));
  }
  template <typename Event>
  void events(const AppendOnly<Event>& track, size_t since, size_t until) {
    number(until - since);
    for (size_t i = since; i < until; ++i) visit_fields(track[i], *this);
  }
  template <typename T, typename... More>
  void operator()(const char*, const T& field, const More&... more) {
    write(field);
    if constexpr (sizeof...(more) > 0) (*this)(more...);
  }

  // Names and tables first: events refer to them by their places.
  std::string finished(int rank) {
    const std::string events = std::move(body_);
    body_.clear();
    number(kPartMagic);
    number(uint64_t(rank));
    number(names_.size());
    for (const NameId name : names_) write(store_.name(name));
    number(tables_.size());
    for (const TablePtr& table : tables_) visit_fields(*table, *this);
    return body_ + events;
  }

 private:
  void write(NameId id) {
    const auto [place, is_new] = places_.emplace(id, names_.size());
    if (is_new) names_.push_back(id);
    number(place->second);
  }
  void write(StorageId id) { number(id); }
  template <std::signed_integral I>
  void write(I value) {
    const auto wide = int64_t(value);
    number((uint64_t(wide) << 1) ^ uint64_t(wide >> 63));
  }
  void write(bool value) { number(value ? 1 : 0); }
  void write(double value) { number(std::bit_cast<uint64_t>(value)); }
  template <NamedEnum E>
  void write(E value) {
    number(uint64_t(value));
  }
  void write(const std::string& text) {
    number(text.size());
    body_ += text;
  }
  void write(const std::vector<TraceColumn>& columns) {
    number(columns.size());
    for (const TraceColumn& column : columns) visit_fields(column, *this);
  }
  void write(const TablePtr& table) {
    size_t place = 0;
    while (place < tables_.size() && tables_[place] != table) ++place;
    if (place == tables_.size()) tables_.push_back(table);
    number(place);
  }
  void write(const std::vector<Attribute>& values) {
    for (const Attribute& value : values) std::visit([this](const auto& is) { write(is); }, value.value());
  }

  const TraceStore& store_;
  std::string body_;
  std::vector<NameId> names_;
  std::unordered_map<NameId, size_t> places_;
  std::vector<TablePtr> tables_;
};

class PartReader {
 public:
  PartReader(std::string_view bytes, TraceStore& store, int64_t shift_ns)
      : bytes_(bytes), store_(store), shift_ns_(shift_ns) {}

  void header(int rank) {
    reject_unless(number() == kPartMagic, "it does not begin as one");
    reject_unless(number() == uint64_t(rank), "it is of another rank");
    for (size_t count = this->count(); count > 0; --count) names_.push_back(store_.intern(text(kMostName)));
    for (size_t count = this->count(); count > 0; --count) {
      TraceTable table;
      visit_fields(table, *this);
      reject_unless(tables_.size() < kMaxTables && table.why_unfit().empty(), "a table does not fit");
      tables_.push_back(std::make_shared<const TraceTable>(std::move(table)));
    }
  }
  template <typename Event>
  void events(AppendOnly<Event>& track) {
    for (size_t count = this->count(); count > 0; --count) {
      Event event;
      visit_fields(event, *this);
      track.push(event);
    }
  }
  void end() const { reject_unless(bytes_.empty(), "bytes stand behind its end"); }

  template <typename T, typename... More>
  void operator()(const char* key, T& field, More&&... more) {
    read(key, field);
    if constexpr (sizeof...(more) > 0) (*this)(more...);
  }

 private:
  static void reject_unless(bool fits, const char* why) {
    if (!fits) throw InputError(std::string("a rank's part of a trace: ") + why);
  }
  uint64_t number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      reject_unless(!bytes_.empty(), "it is cut off");
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    reject_unless(false, "a number is too long");
    return 0;
  }
  // Of things that take a byte each at least.
  size_t count() {
    const uint64_t value = number();
    reject_unless(value <= bytes_.size(), "it has fewer than it says");
    return value;
  }
  std::string text(size_t most) {
    const size_t size = count();
    reject_unless(size <= most, "a text is too long");
    std::string read(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return read;
  }
  size_t place_in(size_t size) {
    const uint64_t place = number();
    reject_unless(place < size, "a name, table or kind is not there");
    return place;
  }

  void read(const char*, NameId& id) { id = names_[place_in(names_.size())]; }
  void read(const char*, StorageId& id) {
    id = number();
    reject_unless(id <= uint64_t(kMostOfPart), "a number is too large");
  }
  template <std::signed_integral I>
  void read(const char* key, I& value) {
    const uint64_t folded = number();
    int64_t wide = int64_t(folded >> 1) ^ -int64_t(folded & 1);
    reject_unless(wide >= -kMostOfPart && wide <= kMostOfPart, "a number is too large");
    if (wide != 0 && std::string_view(key).ends_with("_ns")) wide += shift_ns_;  // 0: it has not happened
    value = static_cast<I>(wide);
    reject_unless(value == wide, "a number is too large");
  }
  void read(const char*, double& value) { value = std::bit_cast<double>(number()); }
  template <NamedEnum E>
  void read(const char*, E& value) {
    value = static_cast<E>(place_in(texts(E{}).size()));
  }
  void read(const char*, std::string& value) { value = text(kMostName); }
  void read(const char*, std::vector<TraceColumn>& columns) {
    for (size_t count = this->count(); count > 0; --count) visit_fields(columns.emplace_back(), *this);
  }
  // The values that follow are those of the columns of this table.
  void read(const char*, TablePtr& table) { table = table_ = tables_[place_in(tables_.size())]; }
  void read(const char*, std::vector<Attribute>& values) {
    for (const TraceColumn& column : table_->columns) values.push_back(attribute(column.kind));
  }
  Attribute attribute(ColumnKind kind) {
    if (kind == ColumnKind::kText) return text(kMaxRowText);
    if (kind == ColumnKind::kBoolean) return place_in(2) == 1;
    if (kind == ColumnKind::kNumber) return std::bit_cast<double>(number());
    int64_t value = 0;
    read("", value);
    return value;
  }

  std::string_view bytes_;  // that are left
  TraceStore& store_;
  const int64_t shift_ns_;
  std::vector<NameId> names_;
  std::vector<TablePtr> tables_;
  TablePtr table_;
};

}  // namespace

TrackMarks& TrackMarks::operator+=(const TrackMarks& more) {
  for (size_t i = 0; i < sizes.size(); ++i) sizes[i] += more.sizes[i];
  return *this;
}

TrackMarks RankPart::mark(const Recorder& recorder) { return marks_of(recorder.tracks_); }

std::string RankPart::pack(const Recorder& recorder, const TrackMarks& since, const TrackMarks& until) {
  PartWriter writer(recorder.store_);
  size_t place = 0;
  visit_tracks(recorder.tracks_, [&](const auto& track) {
    writer.events(track, since.sizes[place], until.sizes[place]);
    ++place;
  });
  return writer.finished(recorder.rank());
}

TrackMarks RankPart::unpack(std::string_view part, Recorder& into, int64_t shift_ns,
                            const TrackMarks& known) {
  PartReader reader(part, into.store_, shift_ns);
  reader.header(into.rank());
  RankTracks tracks;
  visit_tracks(tracks, [&](auto& track) { reader.events(track); });
  reader.end();
  for (RowEvent row : EventRange(tracks.rows))
    if (const std::string why = row.make_fit(); !why.empty())
      throw InputError("a rank's part of a trace: " + why);
  size_t place = 0;
  visit_tracks(tracks, [&](const auto& track) {
    for (size_t i = known.sizes[place++]; i < track.size(); ++i) record(into, track[i]);
  });
  return marks_of(tracks);
}

}  // namespace ringside::inline trace
