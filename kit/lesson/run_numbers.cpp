#include "run_numbers.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/lesson/rows.h"

namespace ringside::inline kit {
namespace {

constexpr std::string_view kHere = " here";

bool compares(double a, const std::string& sign, double b) {
  return sign == "<" ? a < b : sign == ">" ? a > b : sign == "<=" ? a <= b : sign == ">=" ? a >= b : a == b;
}
bool is_sign(const std::string& word) {
  return word == "<" || word == ">" || word == "<=" || word == ">=" || word == "=";
}

std::vector<Symbol> symbols_of(const std::string& before, const RowEvent& row) {
  std::vector<Symbol> symbols;
  for (size_t i = 0; i < row.values.size(); ++i)
    symbols.push_back({before + row.table->columns[i].name, "",
                       row.values[i].number().value_or(row.values[i].yes().value_or(NAN))});
  return symbols;
}

double number_in(const Formula& formula, const std::vector<Symbol>& symbols) try {
  return formula.value(symbols);
} catch (const UsageError&) {
  throw NotRun();
}

}  // namespace

Formula formula_in(const TextBlock& block, const std::string& text, const std::vector<Symbol>& symbols) try {
  return Formula::parse(text, symbols);
} catch (const UsageError& error) {
  throw InvariantError("'" + block.id + "': '" + text + "' is no number: " + error.what());
}

// "dial", "dial here where way = Gumbel", "dial here or in warm up where way = Gumbel"
std::vector<const RowEvent*> RunNumbers::rows_of(std::string table) const {
  const std::string where = cut_behind(table, " where "), other = cut_behind(table, " or in ");
  const bool is_here = table.ends_with(kHere);
  if (is_here) table.resize(table.size() - kHere.size());
  if (!where.empty()) table += " where " + where;
  if (!is_here) return events_of_rows(trace, table);
  RINGSIDE_CHECK(input != nullptr, "'" << block.id << "': " << table << ": no instant is known");
  const auto rows = events_of_rows(input->section, table, input->time_ns);
  return rows.empty() ? events_of_rows(trace.find(other), table, input->time_ns) : rows;
}

// "dial where way = Gumbel and tau = 1 with most bias"
RunNumbers::Named RunNumbers::named(const std::string& name, std::string table) const {
  const std::string least = cut_behind(table, " with least "), most = cut_behind(table, " with most ");
  const std::string height = least.empty() ? most : "-(" + least + ")";
  Named found{name};
  double highest = 0;
  for (const RowEvent* row : rows_of(table)) {
    ++found.count;
    if (least.empty() && most.empty()) {
      found.row = row;
      continue;
    }
    const auto symbols = symbols_of("", *row);
    const double high = number_in(formula_in(block, height, symbols), symbols);
    if (found.count == 1 || high > highest) found.row = row, highest = high;  // the first of equal ones
  }
  return found;
}

std::vector<RunNumbers::Named> RunNumbers::rows_in(const std::string& formula) const {
  std::vector<Named> rows;
  for (std::string let : block.all("let")) {
    const std::string row = cut_behind(let, " = ");
    if (formula.find(let + '.') == formula.npos) continue;
    rows.push_back(named(let, filled(row, [&](const std::string& name) {
                           RINGSIDE_CHECK(input != nullptr, row << ": no scenario is known");
                           return input->config.text(name);
                         })));
    if (rows.back().row == nullptr && formula.find(let + ".rows") == formula.npos) throw NotRun();
  }
  return rows;
}

double RunNumbers::value(const std::string& formula) const {
  std::vector<Symbol> symbols;
  for (const Named& one : rows_in(formula)) {
    symbols.push_back({one.name + ".rows", "", double(one.count)});
    if (one.row == nullptr) continue;
    const auto columns = symbols_of(one.name + ".", *one.row);
    symbols.insert(symbols.end(), columns.begin(), columns.end());
  }
  return number_in(formula_in(block, formula, symbols), symbols);
}

std::string RunNumbers::said(const std::string& text) const {
  return filled(text, [&](std::string place) {
    for (std::string words; !(words = cut_behind(place, " ? ")).empty();) {
      const std::string others = cut_behind(words, "|");
      if (are_so(place)) return words;
      if (others.find(" ? ") == others.npos) return others;
      place = others;
    }
    if (input != nullptr && place.find('.') == place.npos) return input->config.text(place);
    std::string form = cut_behind(place, " : ");
    if (form.empty() && place.ends_with(".rows")) form = ".0f";
    return form.empty() ? cell_in(*rows_in(place).at(0).row, place.substr(place.find('.') + 1)).text
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
  return first == all.end() ? std::nullopt : std::optional(int(first - all.begin()));
}

ClaimResult RunNumbers::judged() const {
  const std::vector<std::string> all = block.all("holds");
  const auto so = std::ranges::count_if(all, [&](const std::string& one) { return are_so(one); });
  const auto has_so = [&](const char* field) { return block.has(field) && are_so(block.text(field)); };
  return {has_so("untold")             ? Verdict::kNotTestable
          : so == std::ssize(all)      ? Verdict::kHolds
          : so > 0 || has_so("partly") ? Verdict::kPartly
                                       : Verdict::kFails,
          said(block.text("found"))};
}

}  // namespace ringside::inline kit
