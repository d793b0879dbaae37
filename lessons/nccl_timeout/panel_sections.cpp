// What the attributes of a section say.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "names.h"
#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"

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
bool asks_what(const View& view) { return asks(view, "what"); }
bool asks_how_many(const View& view) { return asks(view, "numel_in") || view.hides("first_bucket"); }

bool is_case(const Scene& scene) { return case_of(scene.section.name()) > 0; }

std::optional<Unnoticed> unnoticed_in(const View& view, const SectionView& section) {
  if (section.name() != "own" || attribute(section, kEnded) != "completed") return std::nullopt;
  const auto& words = view.trace.rows().outcome_text;
  const auto word = [&](const char* name) {
    const auto found = words.find(name);
    return found == words.end() ? std::string() : found->second;
  };
  return Unnoticed{word("own_parameters_sha256"), word("own_without_parameters_sha256")};
}

std::set<int> gone_ranks(const SectionView& section) {
  std::set<int> gone;
  for (const LastOfRank& row : rows_as<LastOfRank>(section))
    if (!row.dumped) gone.insert(static_cast<int>(row.rank));
  return gone;
}

std::string rank_words(const std::vector<int>& ranks) {
  if (ranks.empty()) return tr("nobody");
  if (ranks.size() == 1) return tr("rank {}", ranks.front());
  std::string all_but_last;
  for (size_t i = 0; i + 1 < ranks.size(); ++i)
    all_but_last += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  return tr("ranks {} and {}", all_but_last, ranks.back());
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
