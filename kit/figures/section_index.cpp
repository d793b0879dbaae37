#include "ringside/figures/section_index.h"

#include <algorithm>

#include "ringside/trace/training_rows.h"

namespace ringside::figure {

void SectionIndex::update(const Trace& trace, const SectionView& section) {
  if (section.ranks() == 0) return;
  section_ = section;
  ranks_ = section.ranks();
  const auto events = section.collectives(0);
  for (; collectives_ < events.size(); ++collectives_) {
    const CollectiveEvent& event = events[collectives_];
    if (event.state != CollectiveState::kCompleted || event.bytes_sent == 0) continue;
    const std::string& tag = trace.name(event.tag);
    if (tag != "gradients" && tag != "parameters") continue;
    const int64_t elements = whole_elements(event, section.ranks());
    whole_[event.unit] = elements;
    if (tag == "gradients") buckets_[event.unit] = elements;
    parts_.push_back({event.op, tag == "parameters", event.unit, event.time_started_ns,
                      event.time_completed_ns, double(event.bytes_sent),
                      double(elements * size_of(event.dtype))});
  }
  rows_.resize(size_t(section.ranks()));
  for (int rank = 0; rank < section.ranks(); ++rank) {
    const auto rows = section.rows(rank);
    for (size_t& seen = rows_[size_t(rank)]; seen < rows.size(); ++seen)
      if (const auto row = row_as<TensorHash>(rows[seen]))
        hashes_[{row->category, row->tensor}][rank] = row->hash;
  }
}

// The first that was completed then or later.
std::vector<Carried>::const_iterator SectionIndex::first_after(int64_t time_ns) const {
  return std::lower_bound(parts_.begin(), parts_.end(), time_ns,
                          [](const Carried& one, int64_t time) { return one.end_ns < time; });
}

const std::map<int, std::string>& SectionIndex::hashes(Category category, const std::string& tensor) const {
  static const std::map<int, std::string> none;
  const auto found = hashes_.find({std::string(to_string(category)), tensor});
  return found == hashes_.end() ? none : found->second;
}

int64_t SectionIndex::whole_bytes(Category category, NameId unit, NameId tensor) const {
  if (whole_.empty()) return 0;
  const int64_t width = width_(section_, category);
  auto found = whole_.find(tensor);
  if (found == whole_.end() && unit != 0) found = whole_.find(unit);
  return found == whole_.end() ? 0 : found->second * width;
}

Holding::Extent SectionIndex::extent(Category category, NameId unit, NameId tensor, int64_t bytes) const {
  return extent_of(bytes, whole_bytes(category, unit, tensor), ranks_);
}

int64_t SectionIndex::padding() const {
  int64_t elements = 0;
  for (const auto& [unit, whole] : buckets_) elements += whole;
  return buckets_.empty() ? 0 : elements - int64_t(psi_of(section_));
}

const Carried* SectionIndex::carried_at(int64_t time_ns) const {
  const auto next = first_after(time_ns + 1);
  if (next != parts_.end() && next->start_ns <= time_ns) return &*next;
  return next == parts_.begin() ? nullptr : &*std::prev(next);
}

double psi_of(const SectionView& section) {
  return section.has("parameters") ? section.number("parameters") : 0;
}

double bytes_per_element(const SectionView& section) {
  return section.has("precision") && section.text("precision") == "bf16" ? 2 : 4;
}

}  // namespace ringside::figure
