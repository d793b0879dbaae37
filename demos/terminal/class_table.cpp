#include "class_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "table_text.h"

namespace ringside {
namespace {

constexpr int64_t kMostRows = 40, kMostMatrix = 10;
constexpr size_t kNameColumns = 22;

std::string short_name(const std::string& name) { return as_typed(name, kNameColumns); }

// The class that most samples of this one are taken for; -1: all are right.
int64_t taken_for(const Confusion& counts, int64_t label) {
  int64_t most = -1;
  for (int64_t c = 0; c < counts.classes(); ++c)
    if (c != label && counts.at(label, c) > (most < 0 ? 0 : counts.at(label, most))) most = c;
  return most;
}

std::vector<std::string> row_of(const Confusion& counts, const std::vector<std::string>& classes,
                                int64_t label) {
  const Confusion::OfClass of = counts.of(label);
  const int64_t other = taken_for(counts, label);
  return {
      short_name(classes[size_t(label)]),
      format_count(of.labelled),
      fmt::format("{:.3f}", of.precision()),
      fmt::format("{:.3f}", of.recall()),
      fmt::format("{:.3f}", of.f1()),
      other < 0 ? "" : fmt::format("{} ({})", short_name(classes[size_t(other)]), counts.at(label, other))};
}

}  // namespace

std::string verdict_text(const Confusion& counts, double loss) {
  return fmt::format("{:.1f} % of {} right, macro-F1 {:.3f}, loss {:.4f}", 100 * counts.accuracy(),
                     format_count(counts.samples()), counts.macro_f1(), loss);
}

std::string class_table(const Confusion& counts, const std::vector<std::string>& classes, int width) {
  std::vector<int64_t> order(classes.size());
  std::iota(order.begin(), order.end(), 0);
  const bool cut = counts.classes() > kMostRows;
  if (cut) {
    std::ranges::stable_sort(order, std::greater<>(), [&](int64_t c) { return counts.of(c).labelled; });
    order.resize(kMostRows);
  }
  std::vector<std::vector<std::string>> rows;
  for (const int64_t label : order) rows.push_back(row_of(counts, classes, label));
  std::string text =
      table_text({"class", " samples", " precision", " recall", " F1", "taken for"}, rows, width);
  if (cut)
    text += fmt::format("and {} classes with fewer samples: --json has them\n", counts.classes() - kMostRows);
  return text;
}

std::string confusion_table(const Confusion& counts, const std::vector<std::string>& classes, int width) {
  if (counts.classes() > kMostMatrix) return "";
  std::vector<std::string> titles = {"class \\ answer"};
  std::vector<std::vector<std::string>> rows;
  for (int64_t label = 0; label < counts.classes(); ++label) {
    titles.push_back(fmt::format(" {}", label + 1));
    std::vector<std::string>& row =
        rows.emplace_back(1, fmt::format("{} {}", label + 1, short_name(classes[size_t(label)])));
    for (int64_t c = 0; c < counts.classes(); ++c) row.push_back(format_count(counts.at(label, c)));
  }
  return table_text(titles, rows, width);
}

Json metrics_json(const Confusion& counts, double loss, const std::vector<std::string>& classes) {
  Json json = {
      {"accuracy", counts.accuracy()}, {"macro_f1", counts.macro_f1()}, {"loss", loss},
      {"samples", counts.samples()},   {"classes", Json::array()},      {"confusion", Json::array()}};
  for (int64_t label = 0; label < counts.classes(); ++label) {
    const Confusion::OfClass of = counts.of(label);
    json["classes"].push_back({{"class", classes[size_t(label)]},
                               {"samples", of.labelled},
                               {"precision", of.precision()},
                               {"recall", of.recall()},
                               {"f1", of.f1()}});
    Json& row = json["confusion"].emplace_back(Json::array());
    for (int64_t c = 0; c < counts.classes(); ++c) row.push_back(counts.at(label, c));
  }
  return json;
}

}  // namespace ringside
