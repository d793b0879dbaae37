// A report for a terminal: the picture, what is stuck, who waits for whom, and whom it points at.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lanes.h"
#include "ringside/base/text.h"
#include "ringside/flight/report.h"
#include "ringside/flight/words.h"

namespace ringside {
namespace {

using namespace flight;

constexpr size_t kWidth = 98;
constexpr size_t kIndent = 11;   // behind a heading
constexpr size_t kMaxStuck = 3;  // that are told; the others are counted
constexpr size_t kMaxStories = 8;

std::string paragraph(std::string_view heading, const std::string& text) {
  return pad(heading, kIndent) + wrap(text, kWidth, kIndent) + "\n";
}

std::string stuck_text(const StuckCollective& stuck) {
  const int caller = stuck.in_it.empty() ? -1 : stuck.in_it.front();
  std::string who = fmt::format("{}: in it {}, for {}", to_string(stuck.state), brief_ranks(stuck.in_it),
                                seconds(stuck.waited_ns));
  if (!stuck.missing.empty()) who += "; not in it " + brief_ranks(stuck.missing);
  if (!stuck.disagreeing.empty()) who += "; called something else " + brief_ranks(stuck.disagreeing);
  return paragraph("stuck", describe(caller, stuck.call)) + paragraph("", who);
}

std::string all_stuck_text(const FlightReport& report) {
  std::string text;
  size_t told = 0, queued = 0;
  for (const StuckCollective& stuck : report.stuck) {
    queued += stuck.queued ? 1 : 0;
    if (!stuck.queued && told++ < kMaxStuck) text += stuck_text(stuck);
  }
  if (told > kMaxStuck) text += paragraph("", fmt::format("and {} more", told - kMaxStuck));
  if (queued > 0) text += paragraph("", fmt::format("{} more queued behind", queued));
  return text;
}

// 3 ─dp#45─▸ 0-2 ─default#10─▸ 3
std::string cycle_text(const std::vector<Wait>& cycle) {
  if (cycle.empty()) return "";
  std::string text;
  for (const Wait& wait : cycle)
    text += fmt::format("{} ─{}#{}─▸ ", brief_ranks(wait.from), wait.group, wait.seq);
  return paragraph("waits for", text + brief_ranks(cycle.front().from));
}

// Ranks that tell the same share a line.
std::string stories_text(const FlightReport& report) {
  std::vector<std::pair<std::string, std::vector<int>>> told;
  for (const RankStory& story : report.ranks) {
    const auto same =
        std::find_if(told.begin(), told.end(), [&](const auto& t) { return t.first == story.did_last; });
    if (same == told.end())
      told.push_back({story.did_last, {story.rank}});
    else
      same->second.push_back(story.rank);
  }
  std::string text;
  for (size_t i = 0; i < std::min(told.size(), kMaxStories); ++i)
    text += paragraph(i == 0 ? "last did" : "", brief_ranks(told[i].second) + ": " + told[i].first);
  if (told.size() > kMaxStories) text += paragraph("", fmt::format("and {} more", told.size() - kMaxStories));
  return text;
}

std::string suspects_text(const FlightReport& report) {
  if (report.suspects.empty())
    return paragraph("suspect", report.stuck.empty() && !report.mispaired ? "nobody" : "cannot be told");
  return paragraph("suspect", name_ranks(report.suspects) + (report.certain ? "" : ", not certain"));
}

}  // namespace

std::string report_text(const FlightReport& report) {
  std::string text =
      fmt::format("Flight recorder, {} ranks   ■ completed  □ called, not completed  ╎ never called",
                  report.ranks.size());
  for (const RankStory& story : report.ranks)
    if (!story.dumped) {
      text += "  ? left no dump";
      break;
    }
  text += "\n";
  for (const std::string& line : draw_lanes(report)) text += line + "\n";
  text += all_stuck_text(report) + cycle_text(report.cycle) + stories_text(report) + suspects_text(report);
  return text + wrap(report.sentence, kWidth, 0) + "\n";
}

}  // namespace ringside
