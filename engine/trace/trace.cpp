// The reader's side: views of one snapshot.
#include "ringside/trace/trace.h"

#include <optional>

#include "ringside/base/check.h"
#include "section.h"

namespace ringside {
namespace {

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
T value_of(const SectionView& section, const std::string& key, std::optional<T> (Attribute::*read)() const,
           const char* kind) {
  const std::optional<T> value = (attribute(section, key).*read)();
  RINGSIDE_CHECK(value.has_value(), "trace: section '" << section.name() << "': attribute " << key << "='"
                                                       << section.text(key) << "' is not " << kind);
  return *value;
}

}  // namespace

const SectionView::Rank& SectionView::of(int rank) const {
  RINGSIDE_CHECK_GE(rank, 0);
  RINGSIDE_CHECK_LT(rank, ranks());
  return data_->ranks[static_cast<size_t>(rank)];
}

const std::string& SectionView::name() const { return *data_->name; }
const Attributes& SectionView::attributes() const { return *data_->attributes; }
int SectionView::ranks() const { return static_cast<int>(data_->ranks.size()); }
RankLife SectionView::life(int rank) const { return of(rank).life; }
EventRange<CollectiveEvent> SectionView::collectives(int rank) const { return of(rank).collectives; }
EventRange<SpanEvent> SectionView::spans(int rank) const { return of(rank).spans; }
EventRange<ScalarEvent> SectionView::scalars(int rank) const { return of(rank).scalars; }
EventRange<NoteEvent> SectionView::notes(int rank) const { return of(rank).notes; }
EventRange<MessageEvent> SectionView::messages(int rank) const { return of(rank).messages; }
EventRange<RowEvent> SectionView::rows(int rank) const { return of(rank).rows; }
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

std::string SectionView::text(const std::string& key) const { return attribute(*this, key).text(); }

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
