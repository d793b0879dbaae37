#include "look.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "causes.h"
#include "ringside/base/error.h"
#include "ringside/lesson/tr.h"
#include "sections.h"

namespace ringside::nccl_lesson {
namespace {

constexpr std::array<const char*, 3> kLooks = {"logs", "dump", "counters"};

std::vector<std::string> looks_of(const Config& config) {
  std::vector<std::string> looks;
  std::istringstream in(config.text("look"));
  for (std::string look; std::getline(in, look, ',');)
    if (look != "none" && !look.empty()) looks.push_back(look);
  return looks;
}

std::string logs(const Trace& trace, const std::string& section) {
  std::string text;
  const SectionView& view = *trace.find(section);
  for (int rank = 0; rank < view.ranks(); ++rank) {
    const std::string log = last_of(view, rank).log;
    text += fmt::format("rank {}: {}\n", rank, log.empty() ? tr("(nothing)") : log);
  }
  return text;
}

std::string dump(const Trace& trace, const std::string& section) {
  const auto found = trace.rows().outcome_text.find("report_" + underscored(section));
  return found == trace.rows().outcome_text.end() ? "" : found->second;
}

// Last number scheduled and completed, by rank and group. Completed ones agree; scheduled ones do not. A rank
// that left no dump has none.
std::string counters(const Trace& trace, const std::string& section) {
  const SectionView& view = *trace.find(section);
  std::string text;
  for (int rank = 0; rank < view.ranks(); ++rank) {
    if (!last_of(view, rank).dumped) {
      text += tr("rank {}:   no dump", rank) + "\n";
      continue;
    }
    std::map<std::string, std::pair<int64_t, int64_t>> last;  // group: scheduled, completed
    for (const CollectiveEvent& event : view.collectives(rank)) {
      auto& [scheduled, completed] = last.try_emplace(trace.name(event.group), -1, -1).first->second;
      scheduled = std::max(scheduled, event.collective_seq_id);
      if (event.state == CollectiveState::kCompleted)
        completed = std::max(completed, event.collective_seq_id);
    }
    text += tr("rank {}:", rank);
    for (const auto& [group, numbers] : last)
      text += tr("   {} completed #{}, scheduled #{}", group, numbers.second, numbers.first);
    text += "\n";
  }
  return text;
}

std::string how_many(size_t looks) {
  return looks == 0 ? tr("no look") : looks == 1 ? tr("1 look") : tr("{} looks", looks);
}

}  // namespace

void check_looks(const Config& config) {
  for (const std::string& look : looks_of(config))
    if (std::find(kLooks.begin(), kLooks.end(), look) == kLooks.end())
      throw UsageError("look=" + config.text("look") + ": '" + look + "' is not among logs, dump, counters");
}

Answer answer_of(const Config& config, const Trace& trace, const std::string& section) {
  Answer answer;
  for (const std::string& look : looks_of(config)) {
    const std::string shows = look == "logs"   ? logs(trace, section)
                              : look == "dump" ? dump(trace, section)
                                               : counters(trace, section);
    answer.looks.push_back({look, shows});
  }
  const std::string culprit = attribute(trace, section, kCulprit), cause = attribute(trace, section, kCause);
  const bool answered = config.integer("culprit") >= 0 || config.text("cause") != "unsaid";
  const bool one_case = config.text("case") != "all";
  if (!answered && one_case) {
    answer.verdict =
        tr("Which rank is it, and why? Collect evidence with look=logs,dump,counters. Then answer with "
           "culprit=RANK cause={}",
           "late_gather|one_batch_more|evaluates_alone|killed");
    return answer;
  }
  answer.reveals = true;
  if (!answered) {
    answer.verdict = tr("rank {} {}. {}", culprit, in_words(cause), attribute(trace, section, kSentence));
    return answer;
  }
  const bool right_rank = std::to_string(config.integer("culprit")) == culprit,
             right_cause = config.text("cause") == cause;
  if (right_rank && right_cause) {
    answer.verdict =
        tr("Right: rank {} {}. Solved with {}.", culprit, in_words(cause), how_many(answer.looks.size()));
  } else {
    answer.reveals = false;
    answer.verdict = right_rank
                         ? tr("Right rank, but another cause. You used {}. Collect more evidence.",
                              how_many(answer.looks.size()))
                         : tr("Wrong rank: that one was only waiting. You used {}. Collect more evidence.",
                              how_many(answer.looks.size()));
  }
  return answer;
}

}  // namespace ringside::nccl_lesson
