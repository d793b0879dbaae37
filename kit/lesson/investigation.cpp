#include "ringside/lesson/investigation.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/tr.h"
#include "ringside/trace/measure.h"

namespace ringside::inline kit {

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(by, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string figure_of_look(const std::string& look) {
  for (const Look& one : kLooks)
    if (one.name == look) return one.figure;
  return look;
}

std::string looks_words(size_t looks) {
  return looks == 0 ? tr("no look") : looks == 1 ? tr("1 look") : tr("{} looks", looks);
}

std::vector<ParameterSpec> investigation_parameters(const std::string& act, int most_ranks,
                                                    const std::vector<std::string>& causes) {
  std::vector<std::string> looks = {"none"}, ranks = {"unsaid", kNobody}, says = {"unsaid", "tell"};
  for (const Look& look : kLooks) looks.emplace_back(look.name);
  for (int rank = 0; rank < most_ranks; ++rank) ranks.push_back(std::to_string(rank));
  says.insert(says.end(), causes.begin(), causes.end());
  return {text("look", act + ": what you look at, like logs,counters; each look is counted", "none", looks),
          choice("culprit", act + ": the rank that you name; nobody: all are in the call", "unsaid", ranks),
          choice("cause", act + ": what you say it did; tell: show me", "unsaid", says)};
}

std::vector<std::string> looks_of(const Config& config) {
  std::vector<std::string> looks = split(config.text("look"), ',');
  std::erase(looks, "none");
  for (const std::string& look : looks)
    if (std::ranges::none_of(kLooks, [&](const Look& one) { return one.name == look; }))
      throw UsageError("look=" + as_typed(config.text("look")) + ": '" + as_typed(look) +
                       "' is not among logs, counters, stacks, dump, verdict");
  return looks;
}

void check_answer(const Config& config) {
  looks_of(config);
  const std::string& culprit = config.text("culprit");
  if (culprit != "unsaid" && culprit != kNobody && std::stoll(culprit) >= config.integer("ranks"))
    throw UsageError("culprit=" + culprit + ": with ranks=" + config.text("ranks") + " allowed are 0 to " +
                     std::to_string(config.integer("ranks") - 1) + " and nobody");
}

int case_of(const std::string& section) {
  return section.starts_with("case ") ? std::atoi(section.c_str() + 5) : 0;
}
std::string name_of_case(int number) { return "case " + std::to_string(number); }
bool is_investigated(const std::string& section) {
  return case_of(section) > 0 || section == "symptom" || section.starts_with("fix ");
}
bool tells(const std::string& section) {
  return section == "fix rank" || (case_of(section) > 0 && section.find(' ', 5) != std::string::npos);
}

Answered judge(const SectionView& section, const std::string& rank, const std::string& cause, bool by_rank) {
  const std::string truth = attribute(section, kCause);
  const bool right_rank = rank == attribute(section, kCulprit) || (rank == kNobody && truth == kAllInside);
  const bool right_cause = by_rank ? right_rank : cause == truth;
  if (right_rank && right_cause) return Answered::kRight;
  return right_rank ? Answered::kOnlyRank : right_cause ? Answered::kOnlyCause : Answered::kWrong;
}

bool is_solved(const Config& config, const SectionView& section) {
  const std::string& cause = config.text("cause");
  return cause == "tell" ||
         judge(section, config.text("culprit"), cause, case_of(section.name()) == 0) == Answered::kRight;
}

std::string truth_of(const SectionView& section) {
  return tr("rank {} {}", attribute(section, kCulprit), attribute(section, kSays));
}

int64_t seed_of_today() {
  const std::time_t now = std::time(nullptr);
  std::tm today{};
  gmtime_r(&now, &today);
  return (today.tm_year + 1900) * 10000 + (today.tm_mon + 1) * 100 + today.tm_mday;
}

}  // namespace ringside::inline kit
