#include "on_call_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "incident.h"
#include "preparation.h"
#include "ringside/base/field.h"
#include "ringside/lesson/tr.h"
#include "table_text.h"

namespace ringside {
namespace {

constexpr int kRightToGoUp = 2;
constexpr int64_t kMostKept = 1'000'000'000;  // of what a file may say

// A whole number of 0 and more; 0 where there is none.
int64_t count_in(const nlohmann::json& document, std::string_view name) {
  if (!document.is_object() || !document.contains(name)) return 0;
  const nlohmann::json& value = document[name];
  return value.is_number_integer() ? std::clamp<int64_t>(value.get<int64_t>(), 0, kMostKept) : 0;
}

// {"asked": 7, "right": 5, "looks": 21}: an answer more.
nlohmann::json with_answer(const nlohmann::json& before, const OnCallAnswer& answer) {
  return {{"asked", count_in(before, "asked") + 1},
          {"right", count_in(before, "right") + (answer.right ? 1 : 0)},
          {"looks", count_in(before, "looks") + answer.looks}};
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
  const auto kept = int(count_in(there, "level"));
  level_ = std::clamp(level > 0 ? level : kept, 1, kHardestIncident);
}

bool OnCallScore::add(const OnCallAnswer& answer, bool rated) {
  answers_.push_back(answer);
  if (!answer.right) missed_.insert(answer.cause);
  const int before = level_;
  if (rated) {
    in_a_row_ = answer.right ? in_a_row_ + 1 : 0;
    if (!answer.right) level_ = std::max(level_ - 1, 1);
    if (in_a_row_ == kRightToGoUp) level_ = std::min(level_ + 1, kHardestIncident), in_a_row_ = 0;
  }
  keep(answer);
  keep_card(answer);
  return level_ != before;
}

// Another session may have written meanwhile.
void OnCallScore::keep(const OnCallAnswer& answer) {
  const std::string kind(to_string(answer.cause));
  file_.update([&](const nlohmann::json& there) {
    nlohmann::json kinds = there.is_object() && there.contains("kinds") ? there["kinds"] : nlohmann::json();
    if (!kinds.is_object()) kinds = nlohmann::json::object();
    kinds[kind] = with_answer(kinds.value(kind, nlohmann::json()), answer);
    kinds_[answer.cause] = {count_in(kinds[kind], "asked"), count_in(kinds[kind], "right")};
    return nlohmann::json{{"level", level_}, {"kinds", kinds}};
  });
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

size_t OnCallScore::right() const { return size_t(std::ranges::count(answers_, true, &OnCallAnswer::right)); }

double OnCallScore::looks_of_right() const {
  int looks = 0;
  for (const OnCallAnswer& one : answers_) looks += one.right ? one.looks : 0;
  return right() == 0 ? 0 : double(looks) / double(right());
}

// Of all sessions.
std::string OnCallScore::ever(Cause cause) const {
  const auto found = kinds_.find(cause);
  return found == kinds_.end() ? "" : tr("{} of {}", found->second.right, found->second.asked);
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
  std::vector<std::string> titles = {tr("kind"), tr(" asked"), tr(" right"), tr(" looks"),
                                     tr("said instead")};
  if (kept()) titles.insert(titles.end() - 1, tr(" ever right"));
  std::vector<std::vector<std::string>> rows;
  for (const auto& [cause, row] : kinds) {
    const double looks = double(row.looks) / row.asked;
    std::vector<std::string>& words =
        rows.emplace_back(std::vector<std::string>{std::string(to_string(cause)), std::to_string(row.asked),
                                                   std::to_string(row.right), fmt::format("{:.1f}", looks)});
    if (kept()) words.push_back(ever(cause));
    words.push_back(instead_words(row));
  }
  return table_text(titles, rows, width);
}

}  // namespace ringside
