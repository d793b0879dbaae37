#include "ringside/widgets/flights.h"

#include <algorithm>
#include <tuple>

#include "ringside/figures/in_time.h"

namespace ringside::ui {
namespace {

constexpr size_t kAround = 192;  // events looked at on each side of the instant

// The last known state of each collective near the instant: it holds all of its times.
std::vector<const CollectiveEvent*> collectives_near(const EventRange<CollectiveEvent>& events,
                                                     int64_t time_ns) {
  const size_t until =
      upper_bound(events, time_ns, [](const CollectiveEvent& event) { return time_of(event); });
  const size_t last = std::min(events.size(), until + kAround);
  std::vector<const CollectiveEvent*> near;
  for (size_t i = until - std::min(until, kAround); i < last; ++i) near.push_back(&events[i]);
  const auto key = [](const CollectiveEvent* e) { return std::tuple(e->group, e->collective_seq_id, e->op); };
  std::ranges::stable_sort(near, [&](auto* a, auto* b) { return key(a) < key(b); });
  size_t kept = 0;
  for (size_t i = 0; i < near.size(); ++i) {
    if (i + 1 < near.size() && key(near[i]) == key(near[i + 1])) continue;
    near[kept++] = near[i];
  }
  near.resize(kept);
  return near;
}

float progress_of(const CollectiveEvent& event, int64_t time_ns) {
  const auto elapsed = double(time_ns - event.time_started_ns);
  constexpr double kTypical = 1e6;  // nanoseconds
  if (event.time_completed_ns == 0) return float(elapsed / (elapsed + kTypical));
  const auto length = double(event.time_completed_ns - event.time_started_ns);
  return length <= 0 ? 1 : std::clamp(float(elapsed / length), 0.0f, 1.0f);
}

// Whom this rank's part of a collective brings bytes from, and to whom.
void add_edges(const CollectiveEvent& event, int ranks, Flight flight, std::vector<Flight>& out) {
  const auto push = [&](int from, int to) {
    if (from == to || from < 0 || from >= ranks) return;
    flight.from = from;
    flight.to = to;
    out.push_back(flight);
  };
  switch (event.op) {
    case Op::kSend:
      flight.to = std::clamp(event.peer, 0, ranks - 1);
      flight.from = event.rank;
      out.push_back(flight);
      break;
    case Op::kRecv:
    case Op::kBarrier:  // a recv is its sender's flight; a barrier carries nothing
      break;
    case Op::kBroadcast: push(event.peer, event.rank); break;
    default:
      for (int from = 0; from < ranks; ++from) push(from, event.rank);
  }
}

bool digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::vector<Flight> flights_at(const SectionView& section, const Trace& trace, int64_t time_ns) {
  std::vector<Flight> flights;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    for (const CollectiveEvent* event : collectives_near(section.collectives(rank), time_ns)) {
      const bool over = event->time_completed_ns != 0 && event->time_completed_ns <= time_ns;
      if (over || event->time_created_ns > time_ns) continue;
      Flight flight{rank, rank, event->op, trace.name(event->tag), short_name(trace.name(event->unit), "")};
      flight.waiting = event->time_started_ns == 0 || event->time_started_ns > time_ns;
      if (flight.waiting) {
        flights.push_back(flight);
        continue;
      }
      flight.progress = progress_of(*event, time_ns);
      add_edges(*event, section.ranks(), flight, flights);
    }
  }
  return flights;
}

std::string short_name(const std::string& unit, const std::string& tensor) {
  const std::string& name = unit.empty() ? tensor : unit;
  if (name.starts_with("layer ") && digits(name.substr(6))) return "L" + name.substr(6);
  if (name.starts_with("bucket ") && digits(name.substr(7))) return "b" + name.substr(7);
  constexpr std::string_view kLayers = "model.layers.", kWeight = ".weight";
  std::string rest = name;
  if (rest.ends_with(kWeight)) rest.resize(rest.size() - kWeight.size());
  std::string layer;
  if (rest.starts_with(kLayers)) {
    rest = rest.substr(kLayers.size());
    layer = "L" + rest.substr(0, rest.find('.')) + " ";
  }
  const size_t dot = rest.rfind('.');
  return layer + (dot == std::string::npos ? rest : rest.substr(dot + 1));
}

}  // namespace ringside::ui
