// The state behind a TraceStore, and the snapshots taken of it.
#include <unordered_map>
#include <utility>

#include "ringside/base/check.h"
#include "section.h"

namespace ringside {

struct TraceStore::State {
  struct Section {
    std::shared_ptr<const std::string> name;
    std::shared_ptr<const VirtualClock> clock;
    std::shared_ptr<const Attributes> attributes;          // replaced, never changed: snapshots share it
    std::vector<std::shared_ptr<RankTracks>> tracks = {};  // one a rank
  };

  std::string scenario;
  std::mutex mutex;  // of all below but the names; held for no longer than a copy of pointers
  std::vector<Section> sections;
  std::vector<std::unique_ptr<Recorder>> recorders;
  std::vector<TablePtr> tables;
  std::shared_ptr<const TraceRows> rows = std::make_shared<const TraceRows>();
  bool complete = false;

  std::mutex names_mutex;  // of ids; names themselves are read without it
  AppendOnly<std::string> names;
  std::unordered_map<std::string_view, NameId> ids;  // keys are views of `names`

  Recorder* add_rank(TraceStore& store, Section& section) {
    const auto rank = static_cast<int>(section.tracks.size());
    RankTracks& tracks = *section.tracks.emplace_back(std::make_shared<RankTracks>());
    return recorders.emplace_back(std::make_unique<Recorder>(store, tracks, rank, section.clock)).get();
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
  for (int rank = 0; rank < ranks; ++rank) handed_out.push_back(state_->add_rank(*this, section));
  return handed_out;
}

Recorder* TraceStore::add_rank(const std::string& section_name) {
  const std::lock_guard lock(state_->mutex);
  Recorder* recorder = state_->add_rank(*this, state_->find(section_name));
  recorder->begin();
  return recorder;
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
  for (const auto& [name, clock, attributes, tracks] : state_->sections)
    trace.sections_.emplace_back().data_ = std::make_shared<const SectionView::Data>(
        SectionView::Data{name, attributes, {tracks.begin(), tracks.end()}});
  trace.tables_ = state_->tables;
  return trace;
}

}  // namespace ringside
