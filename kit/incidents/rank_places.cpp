#include "rank_places.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ringside/base/text.h"
#include "ringside/flight/words.h"

namespace ringside::inline kit {
namespace {

using Kind = LogEventKind;

constexpr size_t kMostPlaces = 12;
constexpr size_t kMostWords = 60;

// Of events that say no more than their kind.
constexpr std::pair<Kind, const char*> kPlain[] = {
    {Kind::kOutOfMemory, "ran out of GPU memory"},
    {Kind::kGpuFault, "had an error of CUDA"},
    {Kind::kCrash, "crashed"},
    {Kind::kKilled, "was killed"},
    {Kind::kPeerLost, "lost the connection to another rank"},
    {Kind::kStoreWait, "waited for the store"},
    {Kind::kRendezvous, "found that not all ranks came"},
    {Kind::kNetwork, "had an error of the network"},
    {Kind::kLagging, "waited for ranks that did not come"},
    {Kind::kFingerprint, "found that ranks make different calls"}};

// "": the event is of no one's place.
std::string where_of(const LogEvent& event) {
  const std::string what = as_typed(event.what, kMostWords);
  if (event.kind == Kind::kTimeout) return "timed out in " + call_words(event.call);
  if (event.kind == Kind::kException) return "raised " + (what.empty() ? "an exception" : what);
  if (event.kind == Kind::kExit) return fmt::format("ended with exit code {}", event.exit_code);
  if (event.kind == Kind::kSetup) return "could not start: " + what;
  if (event.kind == Kind::kWork) return "was busy: " + what;
  if (event.kind == Kind::kStack) return "was in " + as_typed(event.where, kMostWords);
  const auto plain = std::ranges::find(kPlain, event.kind, &std::pair<Kind, const char*>::first);
  return plain == std::end(kPlain) ? "" : plain->second;
}

// What a rank tells first of its end says most; work and warnings count where it tells nothing else.
bool says_more(const LogEvent& event, const LogEvent* known) {
  const auto is_aside = [](Kind kind) { return kind == Kind::kWork || kind == Kind::kNetwork; };
  return known == nullptr || (is_aside(known->kind) && !is_aside(event.kind));
}

// One mark a rank: those of `ranks`.
std::string strip(const std::vector<int>& ranks, int world) {
  std::string text;
  for (int rank = 0; rank < world; ++rank) text += std::ranges::binary_search(ranks, rank) ? "█" : "·";
  return text;
}

std::string row(const RankPlace& place, int world, size_t columns) {
  const size_t most = columns / 2;
  std::string words =
      fmt::format("{}: {}", place.where,
                  place.ranks.size() == 1 ? "1 rank" : fmt::format("{} ranks", place.ranks.size()));
  if (place.ranks.size() == 1) words += fmt::format(" ({})", place.ranks[0]);
  const auto marks = size_t(world);
  if (marks > columns) return wrap(place.where + ": " + flight::name_ranks(place.ranks), columns, 0) + "\n";
  if (marks > most) return strip(place.ranks, world) + "\n  " + wrap(words, columns, 2) + "\n";
  return strip(place.ranks, world) + "  " + wrap(words, columns, marks + 2) + "\n";
}

}  // namespace

std::vector<RankPlace> places_of(const Log& log) {
  std::map<int, const LogEvent*> last;
  for (const int rank : log.ranks) last[rank] = nullptr;
  for (int rank = 0; rank < log.world; ++rank) last[rank] = nullptr;
  for (const LogEvent& event : log.events)
    if (event.rank >= 0 && !where_of(event).empty())
      if (const LogEvent*& known = last[event.rank]; says_more(event, known)) known = &event;
  flight::RanksByText all;
  for (const auto& [rank, event] : last)
    flight::add_alike(all,
                      event != nullptr           ? where_of(*event)
                      : log.ranks.contains(rank) ? "no word of a failure"
                                                 : "no line",
                      rank);
  std::vector<RankPlace> places;
  for (auto& [where, ranks] : all) places.push_back({where, std::move(ranks)});
  std::ranges::stable_sort(places, std::greater<>(), [](const RankPlace& one) { return one.ranks.size(); });
  return places;
}

std::string places_text(const Log& log, size_t columns) {
  const std::vector<RankPlace> places = places_of(log);
  int world = 0;
  for (const RankPlace& place : places) world = std::max(world, place.ranks.back() + 1);
  if (places.empty()) return "No line names a rank.\n";
  std::string text = fmt::format("ranks 0 to {}, a column a rank\n", world - 1);
  for (size_t i = 0; i < std::min(places.size(), kMostPlaces); ++i) text += row(places[i], world, columns);
  if (places.size() > kMostPlaces)
    text += fmt::format("and {} ranks elsewhere\n", places.size() - kMostPlaces);
  return text;
}

}  // namespace ringside::inline kit
