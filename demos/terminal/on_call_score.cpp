#include "on_call_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "preparation.h"
#include "ringside/autopsy/incident.h"
#include "ringside/base/field.h"
#include "ringside/lesson/tr.h"
#include "table_text.h"

namespace ringside {
namespace {

constexpr int kRightToGoUp = 2;

int level_in(const nlohmann::json& document) {
  const bool there =
      document.is_object() && document.contains("level") && document["level"].is_number_integer();
  return there ? std::clamp(document["level"].get<int>(), 1, kHardestIncident) : 1;
}

struct Row {
  int asked = 0, right = 0, looks = 0;
  std::map<std::string, int> instead;
};

std::string instead_words(const Row& row) {
  std::string words;
  for (const auto& [said, times] : row.instead)
    words += (words.empty() ? "" : ", ") + said + (times > 1 ? fmt::format(" {}", times) : "");
  return words;
}

}  // namespace

OnCallScore::OnCallScore(const std::filesystem::path& data_folder, int level)
    : file_(data_folder, "on_call.json", "ringside on_call", 1), reviews_(data_folder) {
  nlohmann::json there;
  file_.read(there);
  level_ = level > 0 ? level : level_in(there);
}

bool OnCallScore::add(const OnCallAnswer& answer, bool rated) {
  answers_.push_back(answer);
  if (!answer.right) missed_.insert(answer.cause);
  keep_card(answer);
  if (!rated) return false;
  in_a_row_ = answer.right ? in_a_row_ + 1 : 0;
  const int before = level_;
  if (!answer.right) level_ = std::max(level_ - 1, 1);
  if (in_a_row_ == kRightToGoUp) level_ = std::min(level_ + 1, kHardestIncident), in_a_row_ = 0;
  if (level_ == before) return false;
  file_.update([&](const nlohmann::json&) { return nlohmann::json{{"level", level_}}; });
  return true;
}

// A card begins with a miss.
void OnCallScore::keep_card(const OnCallAnswer& answer) {
  const std::string card = "call/" + std::string(to_string(answer.cause));
  const auto is_it = [&](const ReviewEntry& entry) { return entry.card == card; };
  if (answer.right && std::ranges::none_of(reviews_.read(), is_it)) return;
  ReviewEntry entry{.card = card, .at = utc_now(), .rating = answer.right ? Rating::kGood : Rating::kAgain};
  if (answer.said && *answer.said != answer.cause)
    entry.error = "taken for " + std::string(to_string(*answer.said));
  keep_judged(reviews_, entry);
}

size_t OnCallScore::right() const {
  return static_cast<size_t>(std::ranges::count(answers_, true, &OnCallAnswer::right));
}

double OnCallScore::looks_of_right() const {
  int looks = 0;
  for (const OnCallAnswer& one : answers_) looks += one.right ? one.looks : 0;
  return right() == 0 ? 0 : static_cast<double>(looks) / static_cast<double>(right());
}

std::string OnCallScore::table(int width) const {
  std::map<Cause, Row> kinds;
  for (const OnCallAnswer& one : answers_) {
    Row& row = kinds[one.cause];
    ++row.asked;
    row.right += one.right ? 1 : 0;
    row.looks += one.looks;
    if (!one.right)
      ++row.instead[!one.said                ? tr("(skipped)")
                    : *one.said == one.cause ? tr("(another rank)")
                                             : std::string(to_string(*one.said))];
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [cause, row] : kinds)
    rows.push_back({std::string(to_string(cause)), std::to_string(row.asked), std::to_string(row.right),
                    fmt::format("{:.1f}", static_cast<double>(row.looks) / row.asked), instead_words(row)});
  return table_text({tr("kind"), tr(" asked"), tr(" right"), tr(" looks"), tr("said instead")}, rows, width);
}

}  // namespace ringside
