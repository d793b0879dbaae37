#include "panel_index.h"

#include <algorithm>
#include <limits>

#include "attributes.h"
#include "ringside/trace/training_rows.h"

namespace ringside::zero_panel {

void SectionIndex::update(const Trace& trace, const SectionView& section) {
  if (section.ranks() == 0) return;
  const auto spans = section.spans(0);
  for (; spans_ < spans.size(); ++spans_) {
    const SpanEvent& span = spans[spans_];
    if (span.step < 0) continue;
    const auto step = static_cast<size_t>(span.step);
    if (step > starts_.size()) continue;  // a step that began before anything was recorded
    if (step == starts_.size()) starts_.push_back(span.start_ns);
    starts_[step] = std::min(starts_[step], span.start_ns);
  }
  const auto events = section.collectives(0);
  for (; collectives_ < events.size(); ++collectives_) {
    const CollectiveEvent& event = events[collectives_];
    if (event.state != CollectiveState::kCompleted || event.bytes_sent == 0) continue;
    const std::string& tag = trace.name(event.tag);
    if (tag != "gradients" && tag != "parameters") continue;
    parts_.push_back(
        {event.time_completed_ns, {event.op, tag == "parameters", static_cast<double>(event.bytes_sent)}});
  }
  rows_.resize(static_cast<size_t>(section.ranks()));
  for (int rank = 0; rank < section.ranks(); ++rank) {
    const auto rows = section.rows(rank);
    for (size_t& seen = rows_[static_cast<size_t>(rank)]; seen < rows.size(); ++seen)
      if (const auto row = row_as<TensorHash>(rows[seen]))
        hashes_[{row->category, row->tensor}][rank] = row->hash;
  }
}

std::optional<SectionIndex::Window> SectionIndex::window_at(int64_t time_ns) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), time_ns);
  if (after == starts_.begin()) return std::nullopt;
  const bool open = after == starts_.end();
  return Window{after - starts_.begin() - 1, *(after - 1),
                open ? std::numeric_limits<int64_t>::max() : *after, open};
}

std::vector<Sent> SectionIndex::sent(int64_t from_ns, int64_t to_ns) const {
  const auto by_time = [](const Part& part, int64_t time) { return part.time_ns < time; };
  std::vector<Sent> sums;
  for (auto part = std::lower_bound(parts_.begin(), parts_.end(), from_ns, by_time);
       part != parts_.end() && part->time_ns < to_ns; ++part) {
    const auto same = std::find_if(sums.begin(), sums.end(), [&](const Sent& one) {
      return one.op == part->sent.op && one.parameters == part->sent.parameters;
    });
    if (same != sums.end())
      same->bytes += part->sent.bytes;
    else
      sums.push_back(part->sent);
  }
  return sums;
}

std::optional<double> SectionIndex::sent_a_step() const {
  if (starts_.size() < 2) return std::nullopt;
  double bytes = 0;
  for (const Sent& one : sent(starts_.front(), starts_.back())) bytes += one.bytes;
  return bytes / static_cast<double>(starts_.size() - 1);
}

std::vector<std::string> SectionIndex::hashes(Category category, const std::string& tensor) const {
  std::vector<std::string> hashes;
  const auto found = hashes_.find({std::string(to_string(category)), tensor});
  if (found == hashes_.end()) return hashes;
  for (const auto& [rank, hash] : found->second) hashes.push_back(hash);
  return hashes;
}

double psi_of(const SectionView& section) {
  return section.has("parameters") ? zero_lesson::psi(section) : 0;
}

double bytes_per_element(const SectionView& section) {
  return section.has("precision") ? static_cast<double>(zero_lesson::element_bytes(section)) : 4;
}

}  // namespace ringside::zero_panel
