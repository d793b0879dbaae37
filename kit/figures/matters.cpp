#include "ringside/figures/matters.h"

#include <algorithm>
#include <limits>
#include <set>

#include "ringside/figures/in_time.h"

namespace ringside::figure {
namespace {

class Seen {
 public:
  explicit Seen(const Trace& trace) : trace_(trace) {}

  void add(NameId name, int64_t since_ns) {
    const auto [place, is_new] = names_.try_emplace(name, since_ns);
    if (!is_new) place->second = std::max(place->second, since_ns);
  }
  void add(std::string_view name, int64_t since_ns) {
    const auto place = now_.try_emplace(std::string(name), since_ns).first;
    place->second = std::max(place->second, since_ns);
  }
  Happening happening() {
    for (const auto& [name, since] : names_) add(std::string_view(trace_.name(name)), since);
    return std::move(now_);
  }

 private:
  const Trace& trace_;
  std::map<NameId, int64_t> names_;
  Happening now_;
};

void add_spans(Seen& seen, const SectionView& section, int rank, int64_t time_ns) {
  const auto spans = section.spans(rank);
  const size_t at = upper_bound(spans, time_ns - 1, end_of);
  for (size_t i = at; i < std::min(spans.size(), at + kNearby); ++i)
    if (spans[i].start_ns <= time_ns) seen.add(spans[i].name, spans[i].start_ns);
}

// Calls that were begun and have not ended by then.
void add_calls(Seen& seen, const SectionView& section, int rank, int64_t time_ns) {
  const auto calls = section.collectives(rank);
  const size_t end = upper_bound(calls, time_ns, [](const CollectiveEvent& call) { return time_of(call); });
  std::set<std::pair<NameId, int64_t>> ended;
  for (size_t i = end; i-- > (end > kNearby ? end - kNearby : 0);) {
    const CollectiveEvent& call = calls[i];
    const std::pair id(call.group, call.collective_seq_id);
    if (call.state == CollectiveState::kCompleted || call.state == CollectiveState::kFailed) {
      ended.insert(id);
    } else if (!ended.contains(id)) {
      seen.add(call.tag, call.time_created_ns);
      seen.add(to_string(call.op), call.time_created_ns);
    }
  }
}

int64_t stamp(const MessageEvent& message) {
  return std::max(message.time_sent_ns, message.time_received_ns);
}

void add_messages(Seen& seen, const SectionView& section, int rank, int64_t time_ns) {
  const auto messages = section.messages(rank);
  const size_t at = upper_bound(messages, time_ns, stamp);
  for (size_t i = at; i < std::min(messages.size(), at + kNearby); ++i)
    if (messages[i].time_sent_ns <= time_ns) seen.add(messages[i].tag, messages[i].time_sent_ns);
}

// The newest of each name by then.
template <typename Events, typename Add>
void add_newest(const Events& events, int64_t time_ns, Add add) {
  const size_t end = upper_bound(events, time_ns, [](const auto& event) { return event.time_ns; });
  for (size_t i = end; i-- > (end > kNearby ? end - kNearby : 0);) add(events[i]);
}

bool is_of(std::string_view named, std::string_view section) {
  if (named.empty()) return true;
  if (!named.ends_with('*')) return named == section;
  return section.starts_with(named.substr(0, named.size() - 1));
}

}  // namespace

Happening happening_at(const Trace& trace, const SectionView& section, int64_t time_ns) {
  Seen seen(trace);
  for (int rank = 0; rank < section.ranks(); ++rank) {
    add_spans(seen, section, rank, time_ns);
    add_calls(seen, section, rank, time_ns);
    add_messages(seen, section, rank, time_ns);
    add_newest(section.notes(rank), time_ns,
               [&](const NoteEvent& note) { seen.add(note.name, note.time_ns); });
    add_newest(section.rows(rank), time_ns,
               [&](const RowEvent& row) { seen.add(row.table->name, row.time_ns); });
  }
  return seen.happening();
}

std::optional<int64_t> matters_since(std::span<const std::string> matters, const SectionView& section,
                                     const Happening& now) {
  std::optional<int64_t> since;
  for (const std::string& one : matters) {
    const size_t cut = one.rfind("::");
    if (!is_of(std::string_view(one).substr(0, cut), section.name())) continue;
    std::optional<int64_t> begun = std::numeric_limits<int64_t>::min();  // the section
    if (cut != std::string::npos) {
      const auto found = now.find(std::string_view(one).substr(cut + 2));
      begun = found == now.end() ? std::nullopt : std::optional(found->second);
    }
    if (begun) since = std::max(since.value_or(*begun), *begun);
  }
  return since;
}

}  // namespace ringside::figure
