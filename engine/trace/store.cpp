// The state behind a TraceStore, the snapshots taken of it, and how they are read.
#include <utility>

#include "ringside/base/check.h"
#include "ringside/trace/trace.h"

namespace ringside::inline trace {
namespace {

size_t index_of(Category category) {
  const auto index = size_t(category);
  RINGSIDE_CHECK_LT(index, kCategories.size());
  return index;
}

const Attribute& required(const SectionView& section, const std::string& key) {
  const Attribute* found = section.find(key);
  RINGSIDE_CHECK(found != nullptr,
                 "trace: section '" << section.name() << "' has no attribute '" << key << "'");
  return *found;
}

template <typename T>
T value_of(const SectionView& section, const std::string& key, std::optional<T> (Attribute::*read)() const,
           const char* kind) {
  const std::optional<T> value = (required(section, key).*read)();
  RINGSIDE_CHECK(value.has_value(), "trace: section '" << section.name() << "': attribute " << key << "='"
                                                       << section.text(key) << "' is not " << kind);
  return *value;
}

}  // namespace

Recorder* TraceStore::add_rank(Section& section) {
  const auto rank = int(section.tracks.size());
  RankTracks& tracks = *section.tracks.emplace_back(std::make_shared<RankTracks>());
  section.recorders.push_back(std::make_unique<Recorder>(*this, tracks, rank, section.clock));
  return section.recorders.back().get();
}

TraceStore::Section& TraceStore::find(const std::string& name) {
  for (Section& section : sections_)
    if (*section.name == name) return section;
  throw InvariantError("trace: no section is named '" + name + "'");
}

std::shared_ptr<TraceStore> TraceStore::create(std::string scenario) {
  std::shared_ptr<TraceStore> store(new TraceStore);
  store->scenario_ = std::move(scenario);
  store->intern("");
  return store;
}

std::vector<Recorder*> TraceStore::add_section(std::string name, Attributes attributes, int ranks,
                                               std::shared_ptr<const VirtualClock> clock) {
  RINGSIDE_CHECK_GE(ranks, 0);
  const std::lock_guard lock(mutex_);
  for (const Section& section : sections_) RINGSIDE_CHECK_NE(*section.name, name);
  Section& section =
      sections_.emplace_back(Section{std::make_shared<const std::string>(std::move(name)), std::move(clock),
                                     std::make_shared<const Attributes>(std::move(attributes))});
  std::vector<Recorder*> handed_out;
  for (int rank = 0; rank < ranks; ++rank) handed_out.push_back(add_rank(section));
  return handed_out;
}

Recorder* TraceStore::add_rank(const std::string& section_name) {
  const std::lock_guard lock(mutex_);
  Recorder* recorder = add_rank(find(section_name));
  recorder->begin();
  return recorder;
}

Recorder& TraceStore::recorder(const std::string& section_name, int rank) {
  const std::lock_guard lock(mutex_);
  const auto& recorders = find(section_name).recorders;
  RINGSIDE_CHECK(rank >= 0 && size_t(rank) < recorders.size(), "trace: no rank " << rank);
  return *recorders[size_t(rank)];
}

void TraceStore::set_attributes(const std::string& section_name, const Attributes& attributes) {
  const std::lock_guard lock(mutex_);
  Section& section = find(section_name);
  auto merged = std::make_shared<Attributes>(*section.attributes);
  for (const auto& [key, value] : attributes) (*merged)[key] = value;
  section.attributes = std::move(merged);
}

TablePtr TraceStore::declare(TraceTable table) {
  const std::string why = table.why_unfit();
  RINGSIDE_CHECK(why.empty(), "trace: table '" << table.name << "': " << why);
  const std::lock_guard lock(mutex_);
  for (const TablePtr& known : tables_) {
    if (known->name != table.name) continue;
    RINGSIDE_CHECK(*known == table, "trace: table '" << table.name << "' is declared with other columns");
    return known;
  }
  RINGSIDE_CHECK_LT(tables_.size(), kMaxTables);
  return tables_.emplace_back(std::make_shared<const TraceTable>(std::move(table)));
}

void TraceStore::set_rows(TraceRows rows) {
  auto fixed = std::make_shared<const TraceRows>(std::move(rows));
  const std::lock_guard lock(mutex_);
  rows_ = std::move(fixed);
}

void TraceStore::set_complete() {
  const std::lock_guard lock(mutex_);
  complete_ = true;
}

NameId TraceStore::intern(std::string_view text) {
  const std::lock_guard lock(names_mutex_);
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  const auto id = static_cast<NameId>(names_.size());
  names_.push(std::string(text));
  ids_.emplace(names_[id], id);
  return id;
}

const std::string& TraceStore::name(NameId id) const {
  RINGSIDE_CHECK_LT(id, names_.size());
  return names_[id];
}

Trace TraceStore::snapshot() const {
  Trace trace;
  trace.store_ = shared_from_this();
  trace.scenario_ = scenario_;
  const std::lock_guard lock(mutex_);
  // `complete` is read before the counts: a complete trace shows every event.
  trace.complete_ = complete_;
  trace.rows_ = rows_;
  for (const auto& [name, clock, attributes, tracks, recorders] : sections_)
    trace.sections_.emplace_back().data_ = std::make_shared<const SectionView::Data>(
        SectionView::Data{name, attributes, {tracks.begin(), tracks.end()}});
  trace.tables_ = tables_;
  return trace;
}

// ---- The reader's side ----------------------------------------------------

SectionView::Rank::Rank(std::shared_ptr<const RankTracks> recorded) : tracks(std::move(recorded)) {
  if (tracks->began.size() > 0) life.began_ns = tracks->began[0];
  if (tracks->ended.size() > 0) life.ended_ns = tracks->ended[0];
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = EventRange(tracks->memory[i]);
}

const SectionView::Rank& SectionView::of(int rank) const {
  RINGSIDE_CHECK(rank >= 0 && rank < ranks(), "trace: rank " << rank << " of " << ranks());
  return data_->ranks[size_t(rank)];
}

EventRange<MemoryEvent> SectionView::memory(int rank, Category category) const {
  return of(rank).memory[index_of(category)];
}
const Pyramid& SectionView::memory_pyramid(int rank, Category category) const {
  return of(rank).tracks->memory_pyramids[index_of(category)];
}

const Attribute* SectionView::find(const std::string& key) const {
  const auto found = attributes().find(key);
  return found == attributes().end() ? nullptr : &found->second;
}

std::string SectionView::text(const std::string& key) const { return required(*this, key).text(); }

double SectionView::number(const std::string& key) const {
  return value_of(*this, key, &Attribute::number, "a number");
}

int64_t SectionView::integer(const std::string& key) const {
  return value_of(*this, key, &Attribute::integer, "a whole number");
}

bool SectionView::yes(const std::string& key) const {
  return value_of(*this, key, &Attribute::yes, "yes or no");
}

std::vector<const RowEvent*> SectionView::rows_of(std::string_view table) const {
  std::vector<const RowEvent*> found;
  for (int rank = 0; rank < ranks(); ++rank)
    for (const RowEvent& row : rows(rank))
      if (row.table->name == table) found.push_back(&row);
  return found;
}

Trace::Trace() : rows_(std::make_shared<const TraceRows>()) {
  static const std::shared_ptr<const TraceStore> kEmpty = TraceStore::create("");
  store_ = kEmpty;
}

const SectionView* Trace::find(std::string_view section_name) const {
  for (const SectionView& section : sections_)
    if (section.name() == section_name) return &section;
  return nullptr;
}

const std::string& Trace::name(NameId id) const { return store_->name(id); }

NameId Recorder::name(std::string_view text) { return store_.intern(text); }

void Recorder::memory(MemoryEvent event) {
  const auto category = size_t(event.category);
  RINGSIDE_CHECK_LT(category, kCategories.size());
  event.rank = rank_;
  const std::lock_guard lock(mutex_);
  // The pyramid first: a reader that sees n events finds n points.
  tracks_.memory_pyramids[category].add(event.time_ns, double(event.live_bytes));
  tracks_.memory[category].push(event);
}

void Recorder::row(RowEvent row) {
  RINGSIDE_CHECK(row.table != nullptr, "trace: a row of no table");
  const std::string why = row.make_fit();
  RINGSIDE_CHECK(why.empty(), "trace: row: " << why);
  append(tracks_.rows, std::move(row));
}

TablePtr Recorder::declare(TraceTable table) { return store_.declare(std::move(table)); }

void Recorder::begin(std::optional<int64_t> time_ns) {
  const std::lock_guard lock(mutex_);
  RINGSIDE_CHECK(tracks_.began.size() + tracks_.ended.size() == 0,
                 "trace: rank " << rank_ << " has come or gone already");
  tracks_.began.push(time_ns.value_or(now()));
}

void Recorder::end(std::optional<int64_t> time_ns) {
  const std::lock_guard lock(mutex_);
  RINGSIDE_CHECK(tracks_.ended.size() == 0, "trace: rank " << rank_ << " has gone already");
  tracks_.ended.push(time_ns.value_or(now()));
}

void Recorder::span(std::string_view name, int64_t start_ns, int64_t end_ns, int64_t step,
                    std::string_view unit) {
  span({start_ns, end_ns, this->name(name), this->name(unit), step});
}

void Recorder::scalar(std::string_view name, int64_t step, double value) {
  scalar({.time_ns = now(), .step = step, .value = value, .name = this->name(name)});
}

void Recorder::note(std::string_view name, int64_t step, std::string_view unit) {
  note({.time_ns = now(), .step = step, .name = this->name(name), .unit = this->name(unit)});
}

void Recorder::row(const TablePtr& table, std::vector<Attribute> values) {
  row({.table = table, .time_ns = now(), .values = std::move(values)});
}

SpanScope::SpanScope(Recorder& recorder, std::string_view name, int64_t step, std::string_view unit)
    : recorder_(recorder), span_{recorder.now(), 0, recorder.name(name), recorder.name(unit), step} {}

SpanScope::~SpanScope() {
  span_.end_ns = recorder_.now();
  recorder_.span(span_);
}

}  // namespace ringside::inline trace
