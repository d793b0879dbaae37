// The sentence over the lanes: what the instant says, as far as the evidence that was looked at goes.
#include <fmt/format.h>

#include <algorithm>

#include "names.h"
#include "panel_parts.h"
#include "ringside/lesson/tr.h"

namespace ringside::nccl_panel {
namespace {

constexpr int64_t kWorthTelling = 1'000'000;  // ns that somebody waits

std::string unnoticed_sentence(const Unnoticed& fault) {
  if (!fault.is_known())
    return tr("It ran to its end: nothing noticed the fault. Now the same run without it, to compare.");
  return fault.differs()
             ? tr("Nothing noticed the fault. The parameters are not those of the run without it.")
             : tr("Nothing noticed the fault, and the parameters are those of the run without it.");
}

std::string capital(std::string words) {
  if (!words.empty() && words[0] == 'r') words[0] = 'R';
  return words;
}

}  // namespace

std::string Sequences::sentence(View& view) {
  keep_up(view);
  if (view.section == nullptr || !has_lanes(*view.section)) return "";
  const Scene scene = scene_of(view);
  const bool at_end = now_ns_ >= index_.latest_ns();
  if (const auto unnoticed = unnoticed_in(view, scene.section); unnoticed && at_end)
    return unnoticed_sentence(*unnoticed);
  if (attribute(scene.section, nccl_lesson::kEnded) == "completed" && at_end)
    return tr("It ran to its end: every collective was called by all ranks.");
  if (holes_.empty() || holes_.front().waited_ns < kWorthTelling) return "";
  return scene.sees_all ? waiting_sentence(scene) : one_lane_sentence(scene);
}

// Of the call that was waited in the longest: who waits, and for whom.
std::string Sequences::waiting_sentence(const Scene&) const {
  const Hole& hole = holes_.front();
  std::vector<int> missing;
  for (const Hole& one : holes_) {
    if (one.group == hole.group && one.seq == hole.seq) missing.push_back(one.rank);
  }
  std::sort(missing.begin(), missing.end());
  const std::string waited = waited_words(hole.waited_ns), group = index_.groups()[hole.group];
  return hole.waiting.size() == 1
             ? tr("{} has waited {} for {} (group {}, call {}).", capital(rank_words(hole.waiting)), waited,
                  rank_words(missing), group, hole.seq)
             : tr("{} have waited {} for {} (group {}, call {}).", capital(rank_words(hole.waiting)), waited,
                  rank_words(missing), group, hole.seq);
}

// Of the one rank whose line there is.
std::string Sequences::one_lane_sentence(const Scene& scene) const {
  const int logger = logger_of(scene.section);
  const Call* oldest = nullptr;
  std::string in_group;
  for (size_t group = 0; logger >= 0 && group < index_.groups().size(); ++group) {
    const Call* call = index_.first_open(logger, group, now_ns_);
    if (call == nullptr || (oldest != nullptr && oldest->created_ns <= call->created_ns)) continue;
    oldest = call;
    in_group = index_.groups()[group];
  }
  if (oldest == nullptr) return "";
  return tr("Rank {} has waited {} (group {}, call {}). Its log does not say which rank is missing.", logger,
            waited_words(oldest->waited_ns(now_ns_)), in_group, oldest->seq);
}

}  // namespace ringside::nccl_panel
