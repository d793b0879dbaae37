// What the attributes of a section say.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "names.h"
#include "panel_parts.h"
#include "ringside/base/units.h"

namespace ringside::nccl_panel {

using namespace nccl_lesson;

std::string kind_of(const SectionView& section) { return attribute(section, kKind); }

bool of_act_one(const SectionView& section) {
  return section.name() == "symptom" || section.name().starts_with("fix ");
}

bool has_lanes(const SectionView& section) {
  const std::string kind = kind_of(section);
  return section.ranks() > 0 && kind != "outputs" && kind != "plan";
}

bool has_ended(const View& view, const SectionView& section) {
  return !view.running || view.trace.complete() || !attribute(section, kEnded).empty();
}

int case_of(const std::string& section) {
  return section.starts_with("case ") ? std::atoi(section.c_str() + 5) : 0;
}

int logger_of(const SectionView& section) {
  const std::string log = attribute(section, kShownLog);
  const size_t at = log.find("[rank");
  return at == std::string::npos ? -1 : std::atoi(log.c_str() + at + 5);
}

bool asks(const View& view, const std::string& id) { return view.asked != nullptr && view.asked->id == id; }

std::set<int> gone_ranks(const SectionView& section) {
  std::set<int> gone;
  for (const LastOfRank& row : rows_as<LastOfRank>(section))
    if (!row.dumped) gone.insert(static_cast<int>(row.rank));
  return gone;
}

std::string rank_words(const std::vector<int>& ranks) {
  if (ranks.empty()) return "nobody";
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  return text;
}

std::string waited_words(int64_t ns) {
  const double seconds = static_cast<double>(ns) * 1e-9;
  return seconds >= 0.1 ? fmt::format("{:.2f} s", seconds) : format_duration(seconds);
}

std::string ended_words(const SectionView& section) {
  const std::string ended = attribute(section, kEnded);
  if (ended.empty()) return "";
  const auto after = number_in(section, kEndedMs);
  if (ended == "completed") return "completed";
  std::string name = ended;
  std::replace(name.begin(), name.end(), '_', ' ');
  return after ? fmt::format("{} after {}", name, format_duration(*after / 1000)) : name;
}

}  // namespace ringside::nccl_panel
