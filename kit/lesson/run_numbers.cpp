#include "run_numbers.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/lesson/rows.h"

namespace ringside::inline kit {
namespace {

bool compares(double a, const std::string& sign, double b) {
  return sign == "<" ? a < b : sign == ">" ? a > b : sign == "<=" ? a <= b : sign == ">=" ? a >= b : a == b;
}
bool is_sign(const std::string& word) {
  return word == "<" || word == ">" || word == "<=" || word == ">=" || word == "=";
}

// "dial where way = Gumbel and tau = 1": the last such row of all sections.
const RowEvent* row_named(const Trace& trace, std::string table) {
  std::vector<std::string> wanted{cut_behind(table, " where ")};
  for (std::string more; !(more = cut_behind(wanted.back(), " and ")).empty();) wanted.push_back(more);
  const RowEvent* found = nullptr;
  for (const RowEvent* row : events_of_rows(trace, table))
    if (std::ranges::all_of(wanted, [row](std::string column) {
          const std::string word = cut_behind(column, " = ");
          return column.empty() || cell_in(*row, column).text == word;
        }))
      found = row;
  if (found == nullptr) throw NotRun();
  return found;
}

}  // namespace

Formula formula_in(const TextBlock& block, const std::string& text, const std::vector<Symbol>& symbols) try {
  return Formula::parse(text, symbols);
} catch (const UsageError& error) {
  throw InvariantError("'" + block.id + "': '" + text + "' is no number: " + error.what());
}

std::vector<std::pair<std::string, const RowEvent*>> RunNumbers::rows_in(const std::string& formula) const {
  std::vector<std::pair<std::string, const RowEvent*>> rows;
  for (std::string let : block.all("let")) {
    const std::string row = cut_behind(let, " = ");
    if (formula.find(let + '.') != formula.npos)
      rows.emplace_back(let, row_named(trace, filled(row, [&](const std::string& name) {
                                         RINGSIDE_CHECK(config != nullptr, row << ": no scenario is known");
                                         return config->text(name);
                                       })));
  }
  return rows;
}

double RunNumbers::value(const std::string& formula) const {
  std::vector<Symbol> symbols;
  for (const auto& [name, row] : rows_in(formula))
    for (size_t i = 0; i < row->values.size(); ++i)
      symbols.push_back({name + "." + row->table->columns[i].name, "",
                         row->values[i].number().value_or(row->values[i].yes().value_or(NAN))});
  const Formula parsed = formula_in(block, formula, symbols);
  try {
    return parsed.value(symbols);
  } catch (const UsageError&) {
    throw NotRun();
  }
}

std::string RunNumbers::said(const std::string& text) const {
  return filled(text, [&](std::string place) {
    const std::string form = cut_behind(place, " : ");
    return form.empty() ? cell_in(*rows_in(place).at(0).second, place.substr(place.find('.') + 1)).text
                        : number_in_form(value(place), form);
  });
}

// "a.x < 2 b.x < c.x"
bool RunNumbers::is_so(const std::string& relation) const {
  std::istringstream words(relation);
  std::vector<std::string> sides{""}, signs;
  for (std::string word; words >> word;)
    if (is_sign(word))
      signs.push_back(word), sides.emplace_back();
    else
      sides.back() += word + " ";
  RINGSIDE_CHECK(!signs.empty(), "'" << block.id << "': '" << relation << "' compares nothing");
  bool so = true;
  for (size_t i = 0; i < signs.size(); ++i)
    so = compares(value(sides[i]), signs[i], value(sides[i + 1])) && so;
  return so;
}

bool RunNumbers::are_so(const std::string& relations) const {
  return std::ranges::all_of(parted(relations, ','), [&](const std::string& one) { return is_so(one); });
}

std::optional<int> RunNumbers::first_so(const char* field) const {
  const std::vector<std::string> all = block.all(field);
  const auto first = std::ranges::find_if(all, [&](const std::string& one) { return are_so(one); });
  return first == all.end() ? std::nullopt : std::optional(static_cast<int>(first - all.begin()));
}

ClaimResult RunNumbers::judged() const {
  const std::vector<std::string> all = block.all("holds");
  const auto so = std::ranges::count_if(all, [&](const std::string& one) { return are_so(one); });
  return {so == std::ssize(all) ? Verdict::kHolds
          : so > 0              ? Verdict::kPartly
                                : Verdict::kFails,
          said(block.text("found"))};
}

}  // namespace ringside::inline kit
