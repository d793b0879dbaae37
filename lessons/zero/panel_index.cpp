#include "panel_index.h"

#include <algorithm>
#include <limits>

#include "attributes.h"
#include "ringside/trace/training_rows.h"

namespace ringside::zero_panel {
namespace {

constexpr std::string_view kStepEnded = "after step";  // the note that a rank writes then: ledger.h

}  // namespace

void SectionIndex::update(const Trace& trace, const SectionView& section) {
  if (section.ranks() == 0) return;
  section_ = section;
  ranks_ = section.ranks();
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
    const int64_t elements = zero_lesson::whole_elements(event, section.ranks());
    whole_[event.unit] = elements;
    if (tag == "gradients") buckets_[event.unit] = elements;
    sent_before_.push_back(sent_before_.empty() ? 0 : sent_before_.back() + parts_.back().sent);
    parts_.push_back({event.op, tag == "parameters", event.unit, event.time_started_ns,
                      event.time_completed_ns, static_cast<double>(event.bytes_sent),
                      static_cast<double>(elements * size_of(event.dtype))});
  }
  update_states(trace, section);
  rows_.resize(static_cast<size_t>(section.ranks()));
  for (int rank = 0; rank < section.ranks(); ++rank) {
    const auto rows = section.rows(rank);
    for (size_t& seen = rows_[static_cast<size_t>(rank)]; seen < rows.size(); ++seen)
      if (const auto row = row_as<TensorHash>(rows[seen]))
        hashes_[{row->category, row->tensor}][rank] = row->hash;
  }
}

// A step's end is a note; what is held then, the last event before it says.
void SectionIndex::update_states(const Trace& trace, const SectionView& section) {
  notes_.resize(static_cast<size_t>(section.ranks()));
  states_.resize(notes_.size());
  for (int rank = 0; rank < section.ranks(); ++rank) {
    const auto notes = section.notes(rank);
    std::optional<int64_t> at_ns;
    for (size_t& seen = notes_[static_cast<size_t>(rank)]; seen < notes.size(); ++seen)
      if (trace.name(notes[seen].name) == kStepEnded) at_ns = notes[seen].time_ns;
    if (!at_ns) continue;
    State state{};
    for (size_t i = 0; i < std::size(zero_lesson::kStateKinds); ++i) {
      const auto events = section.memory(rank, zero_lesson::kStateKinds[i]);
      const size_t after =
          section.memory_pyramid(rank, zero_lesson::kStateKinds[i]).lower_bound(*at_ns + 1, events.size());
      if (after > 0) state[i] = events[after - 1].live_bytes;
    }
    states_[static_cast<size_t>(rank)] = state;
  }
}

std::optional<SectionIndex::State> SectionIndex::state(int rank) const {
  const auto place = static_cast<size_t>(rank);
  return place < states_.size() ? states_[place] : std::nullopt;
}

std::optional<SectionIndex::Window> SectionIndex::window_at(int64_t time_ns) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), time_ns);
  if (after == starts_.begin()) return std::nullopt;
  const bool open = after == starts_.end();
  return Window{after - starts_.begin() - 1, *(after - 1),
                open ? std::numeric_limits<int64_t>::max() : *after, open};
}

std::vector<Sent> SectionIndex::sent(int64_t from_ns, int64_t to_ns) const {
  std::vector<Sent> sums;
  for (auto part = first_after(from_ns); part != parts_.end() && part->end_ns < to_ns; ++part) {
    const auto same = std::find_if(sums.begin(), sums.end(), [&](const Sent& one) {
      return one.op == part->op && one.parameters == part->parameters;
    });
    if (same != sums.end())
      same->bytes += part->sent;
    else
      sums.push_back({part->op, part->parameters, part->sent});
  }
  return sums;
}

// The first that was completed then or later.
std::vector<Carried>::const_iterator SectionIndex::first_after(int64_t time_ns) const {
  return std::lower_bound(parts_.begin(), parts_.end(), time_ns,
                          [](const Carried& one, int64_t time) { return one.end_ns < time; });
}

double SectionIndex::sent_until(int64_t time_ns) const {
  const auto at = first_after(time_ns);
  if (at != parts_.end()) return sent_before_[static_cast<size_t>(at - parts_.begin())];
  return parts_.empty() ? 0 : sent_before_.back() + parts_.back().sent;
}

std::optional<double> SectionIndex::sent_a_step() const {
  if (starts_.size() < 2) return std::nullopt;
  const double bytes = sent_until(starts_.back()) - sent_until(starts_.front());
  return bytes / static_cast<double>(starts_.size() - 1);
}

const std::map<int, std::string>& SectionIndex::hashes(Category category, const std::string& tensor) const {
  static const std::map<int, std::string> none;
  const auto found = hashes_.find({std::string(to_string(category)), tensor});
  return found == hashes_.end() ? none : found->second;
}

int64_t SectionIndex::whole_bytes(Category category, NameId unit, NameId tensor) const {
  if (whole_.empty()) return 0;
  const int64_t width = zero_lesson::state_width(section_, category);
  auto found = whole_.find(tensor);
  if (found == whole_.end() && unit != 0) found = whole_.find(unit);
  return found == whole_.end() ? 0 : found->second * width;
}

Holding::Extent SectionIndex::extent(Category category, NameId unit, NameId tensor, int64_t bytes) const {
  return zero_lesson::extent_of(bytes, whole_bytes(category, unit, tensor), ranks_);
}

int64_t SectionIndex::padding() const {
  int64_t elements = 0;
  for (const auto& [unit, whole] : buckets_) elements += whole;
  return buckets_.empty() ? 0 : elements - static_cast<int64_t>(psi_of(section_));
}

const Carried* SectionIndex::carried_at(int64_t time_ns) const {
  const auto next = first_after(time_ns + 1);
  if (next != parts_.end() && next->start_ns <= time_ns) return &*next;
  return next == parts_.begin() ? nullptr : &*std::prev(next);
}

double psi_of(const SectionView& section) {
  return section.has("parameters") ? zero_lesson::psi(section) : 0;
}

double bytes_per_element(const SectionView& section) {
  return section.has("precision") ? static_cast<double>(zero_lesson::element_bytes(section)) : 4;
}

}  // namespace ringside::zero_panel
