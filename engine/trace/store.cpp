// The state behind a TraceStore, the snapshots taken of it, and how they are read.
#include <unordered_map>
#include <utility>

#include "ringside/base/check.h"
#include "ringside/trace/trace.h"

namespace ringside::inline trace {
namespace {

size_t index_of(Category category) {
  const auto index = static_cast<size_t>(category);
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

struct TraceStore::State {
  struct Section {
    std::shared_ptr<const std::string> name;
    std::shared_ptr<const VirtualClock> clock;
    std::shared_ptr<const Attributes> attributes;          // replaced, never changed: snapshots share it
    std::vector<std::shared_ptr<RankTracks>> tracks = {};  // one a rank
    std::vector<std::unique_ptr<Recorder>> recorders = {};
  };

  std::string scenario;
  std::mutex mutex;  // of all below but the names; held for no longer than a copy of pointers
  std::vector<Section> sections;
  std::vector<TablePtr> tables;
  std::shared_ptr<const TraceRows> rows = std::make_shared<const TraceRows>();
  bool complete = false;

  std::mutex names_mutex;  // of ids; names themselves are read without it
  AppendOnly<std::string> names;
  std::unordered_map<std::string_view, NameId> ids;  // keys are views of `names`

  static Recorder* add_rank(TraceStore& store, Section& section) {
    const auto rank = static_cast<int>(section.tracks.size());
    RankTracks& tracks = *section.tracks.emplace_back(std::make_shared<RankTracks>());
    section.recorders.push_back(std::make_unique<Recorder>(store, tracks, rank, section.clock));
    return section.recorders.back().get();
  }

  Section& find(const std::string& name) {
    for (Section& section : sections)
      if (*section.name == name) return section;
    throw InvariantError("trace: no section is named '" + name + "'");
  }
};

TraceStore::TraceStore() : state_(std::make_unique<State>()) {}
TraceStore::~TraceStore() = default;

std::shared_ptr<TraceStore> TraceStore::create(std::string scenario) {
  std::shared_ptr<TraceStore> store(new TraceStore);
  store->state_->scenario = std::move(scenario);
  store->intern("");
  return store;
}

std::vector<Recorder*> TraceStore::add_section(std::string name, Attributes attributes, int ranks,
                                               std::shared_ptr<const VirtualClock> clock) {
  RINGSIDE_CHECK_GE(ranks, 0);
  const std::lock_guard lock(state_->mutex);
  for (const State::Section& section : state_->sections) RINGSIDE_CHECK_NE(*section.name, name);
  State::Section& section = state_->sections.emplace_back(
      State::Section{std::make_shared<const std::string>(std::move(name)), std::move(clock),
                     std::make_shared<const Attributes>(std::move(attributes))});
  std::vector<Recorder*> handed_out;
  for (int rank = 0; rank < ranks; ++rank) handed_out.push_back(State::add_rank(*this, section));
  return handed_out;
}

Recorder* TraceStore::add_rank(const std::string& section_name) {
  const std::lock_guard lock(state_->mutex);
  Recorder* recorder = State::add_rank(*this, state_->find(section_name));
  recorder->begin();
  return recorder;
}

Recorder& TraceStore::recorder(const std::string& section_name, int rank) {
  const std::lock_guard lock(state_->mutex);
  const auto& recorders = state_->find(section_name).recorders;
  RINGSIDE_CHECK(rank >= 0 && static_cast<size_t>(rank) < recorders.size(), "trace: no rank " << rank);
  return *recorders[static_cast<size_t>(rank)];
}

void TraceStore::set_attributes(const std::string& section_name, const Attributes& attributes) {
  const std::lock_guard lock(state_->mutex);
  State::Section& section = state_->find(section_name);
  auto merged = std::make_shared<Attributes>(*section.attributes);
  for (const auto& [key, value] : attributes) (*merged)[key] = value;
  section.attributes = std::move(merged);
}

TablePtr TraceStore::declare(TraceTable table) {
  const std::string why = table.why_unfit();
  RINGSIDE_CHECK(why.empty(), "trace: table '" << table.name << "': " << why);
  const std::lock_guard lock(state_->mutex);
  for (const TablePtr& known : state_->tables) {
    if (known->name != table.name) continue;
    RINGSIDE_CHECK(*known == table, "trace: table '" << table.name << "' is declared with other columns");
    return known;
  }
  RINGSIDE_CHECK_LT(state_->tables.size(), kMaxTables);
  return state_->tables.emplace_back(std::make_shared<const TraceTable>(std::move(table)));
}

void TraceStore::set_rows(TraceRows rows) {
  auto fixed = std::make_shared<const TraceRows>(std::move(rows));
  const std::lock_guard lock(state_->mutex);
  state_->rows = std::move(fixed);
}

void TraceStore::set_complete() {
  const std::lock_guard lock(state_->mutex);
  state_->complete = true;
}

NameId TraceStore::intern(std::string_view text) {
  const std::lock_guard lock(state_->names_mutex);
  if (const auto known = state_->ids.find(text); known != state_->ids.end()) return known->second;
  const auto id = static_cast<NameId>(state_->names.size());
  state_->names.push(std::string(text));
  state_->ids.emplace(state_->names[id], id);
  return id;
}

const std::string& TraceStore::name(NameId id) const {
  RINGSIDE_CHECK_LT(id, state_->names.size());
  return state_->names[id];
}

Trace TraceStore::snapshot() const {
  Trace trace;
  trace.store_ = shared_from_this();
  trace.scenario_ = state_->scenario;
  const std::lock_guard lock(state_->mutex);
  // `complete` is read before the counts: a complete trace shows every event.
  trace.complete_ = state_->complete;
  trace.rows_ = state_->rows;
  for (const auto& [name, clock, attributes, tracks, recorders] : state_->sections)
    trace.sections_.emplace_back().data_ = std::make_shared<const SectionView::Data>(
        SectionView::Data{name, attributes, {tracks.begin(), tracks.end()}});
  trace.tables_ = state_->tables;
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
  return data_->ranks[static_cast<size_t>(rank)];
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
  const auto category = static_cast<size_t>(event.category);
  RINGSIDE_CHECK_LT(category, kCategories.size());
  event.rank = rank_;
  const std::lock_guard lock(mutex_);
  // The pyramid first: a reader that sees n events finds n points.
  tracks_.memory_pyramids[category].add(event.time_ns, static_cast<double>(event.live_bytes));
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
