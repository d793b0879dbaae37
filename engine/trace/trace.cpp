// The reader's side: views of one snapshot.
#include "ringside/trace/trace.h"

#include <optional>

#include "ringside/base/check.h"
#include "section.h"

namespace ringside {
namespace {

template <typename T>
const T& of_rank(const std::vector<T>& ranks, int rank) {
  RINGSIDE_CHECK_GE(rank, 0);
  RINGSIDE_CHECK_LT(static_cast<size_t>(rank), ranks.size());
  return ranks[static_cast<size_t>(rank)];
}

size_t index_of(Category category) {
  const auto index = static_cast<size_t>(category);
  RINGSIDE_CHECK_LT(index, kCategories.size());
  return index;
}

const Attribute& attribute(const SectionView& section, const std::string& key) {
  const Attribute* found = section.find(key);
  RINGSIDE_CHECK(found != nullptr,
                 "trace: section '" << section.name() << "' has no attribute '" << key << "'");
  return *found;
}

template <typename T>
T value_of(const SectionView& section, const std::string& key, std::optional<T> value, const char* kind) {
  RINGSIDE_CHECK(value.has_value(), "trace: section '" << section.name() << "': attribute " << key << "='"
                                                       << section.text(key) << "' is not " << kind);
  return *value;
}

}  // namespace

const std::string& SectionView::name() const { return data_->name; }
const Attributes& SectionView::attributes() const { return *counts_->attributes; }
const RankTracks& SectionView::tracks_of(int rank) const {
  of_rank(counts_->ranks, rank);  // in the bounds of this snapshot
  return *data_->tracks[static_cast<size_t>(rank)];
}
RankLife SectionView::life(int rank) const { return of_rank(counts_->ranks, rank).life; }
int SectionView::ranks() const { return static_cast<int>(counts_->ranks.size()); }

const Attribute* SectionView::find(const std::string& key) const {
  const auto found = attributes().find(key);
  return found == attributes().end() ? nullptr : &found->second;
}

std::string SectionView::text(const std::string& key) const { return attribute(*this, key).text(); }

double SectionView::number(const std::string& key) const {
  return value_of(*this, key, attribute(*this, key).number(), "a number");
}

int64_t SectionView::integer(const std::string& key) const {
  return value_of(*this, key, attribute(*this, key).integer(), "a whole number");
}

bool SectionView::yes(const std::string& key) const {
  return value_of(*this, key, attribute(*this, key).yes(), "yes or no");
}

EventRange<CollectiveEvent> SectionView::collectives(int rank) const {
  return {&tracks_of(rank).collectives, of_rank(counts_->ranks, rank).collectives};
}
EventRange<MemoryEvent> SectionView::memory(int rank, Category category) const {
  const size_t i = index_of(category);
  return {&tracks_of(rank).memory[i], of_rank(counts_->ranks, rank).memory[i]};
}
const Pyramid& SectionView::memory_pyramid(int rank, Category category) const {
  return tracks_of(rank).memory_pyramids[index_of(category)];
}
EventRange<SpanEvent> SectionView::spans(int rank) const {
  return {&tracks_of(rank).spans, of_rank(counts_->ranks, rank).spans};
}
EventRange<ScalarEvent> SectionView::scalars(int rank) const {
  return {&tracks_of(rank).scalars, of_rank(counts_->ranks, rank).scalars};
}
EventRange<NoteEvent> SectionView::notes(int rank) const {
  return {&tracks_of(rank).notes, of_rank(counts_->ranks, rank).notes};
}
EventRange<MessageEvent> SectionView::messages(int rank) const {
  return {&tracks_of(rank).messages, of_rank(counts_->ranks, rank).messages};
}
EventRange<RowEvent> SectionView::rows(int rank) const {
  return {&tracks_of(rank).rows, of_rank(counts_->ranks, rank).rows};
}

std::vector<const RowEvent*> SectionView::rows_of(std::string_view table) const {
  std::vector<const RowEvent*> found;
  for (int rank = 0; rank < ranks(); ++rank)
    for (const RowEvent& row : rows(rank))
      if (row.table->name == table) found.push_back(&row);
  return found;
}

Trace::Trace() : rows_(std::make_shared<const TraceRows>()) {}

const SectionView* Trace::find(std::string_view section_name) const {
  for (const SectionView& section : sections_)
    if (section.name() == section_name) return &section;
  return nullptr;
}

const std::string& Trace::name(NameId id) const {
  static const std::string empty;
  if (store_ == nullptr && id == 0) return empty;
  RINGSIDE_CHECK(store_ != nullptr, "an empty trace has no name " << id);
  return store_->name(id);
}

}  // namespace ringside
