#include "ringside/lesson/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "ringside/base/error.h"
#include "ringside/base/units.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/text_blocks.h"

namespace ringside::inline kit {
namespace {

constexpr std::string_view kNames = "names";  // the form of a number that names its row

bool is_number(const TraceColumn& column) {
  return column.kind == ColumnKind::kNumber || column.kind == ColumnKind::kInteger;
}

struct ShownColumn {
  size_t place = 0;  // in the recorded table
  figure::TableColumn title;
  std::string form, word;  // "" where it has none
};

// "NAME = TITLE : FORM or WORD", of which the name alone is needed; none where there is no such column.
std::optional<ShownColumn> shown_column(const TraceTable& table, std::string text) {
  ShownColumn shown;
  shown.form = cut_behind(text, " : ");
  shown.word = cut_behind(shown.form, " or ");
  const std::string title = cut_behind(text, " = ");
  shown.title = figure::columns({title.empty() ? text : title}).front();
  const std::string name = text.substr(0, text.find(" ["));
  const auto found = std::ranges::find(table.columns, name, &TraceColumn::name);
  if (found == table.columns.end()) return std::nullopt;
  shown.place = size_t(found - table.columns.begin());
  shown.title.number = is_number(*found) && shown.form != kNames;
  return shown;
}

figure::TableCell cell_of(const Attribute& value, const TraceColumn& column, const ShownColumn& shown) {
  if (!is_number(column)) return {value.text()};
  const double number = value.number().value_or(figure::kNone);
  if (!shown.word.empty() && number == 0) return {shown.word};
  if (std::isnan(number)) return {"—"};
  if (shown.form == kNames) return {value.text(), number};
  if (!shown.form.empty()) return {number_in_form(number, shown.form), number};
  if (column.unit == "bytes") return {format_bytes(number), number};
  const auto whole = value.integer();
  return {whole ? format_count(*whole) : value.text(), number};
}

bool has_words(const RowEvent& row, const std::vector<std::string>& wanted) {
  return std::ranges::all_of(wanted, [&](std::string column) {
    const std::string word = cut_behind(column, " = ");
    return column.empty() || cell_in(row, column).text == word;
  });
}

}  // namespace

figure::Table table_of_rows(const std::vector<const RowEvent*>& rows, const std::vector<std::string>& columns,
                            const std::string& lit) {
  figure::Table made;
  if (rows.empty()) return made;
  const TraceTable& table = *rows[0]->table;
  std::vector<ShownColumn> all;
  for (size_t i = 0; columns.empty() && i < table.columns.size(); ++i)
    // A cell of bytes says its unit itself.
    all.push_back({i,
                   {table.columns[i].name, table.columns[i].unit == "bytes" ? "" : table.columns[i].unit,
                    is_number(table.columns[i])},
                   "",
                   ""});
  for (const std::string& text : columns) {
    const auto shown = shown_column(table, text);
    if (!shown) return {};
    all.push_back(*shown);
  }
  for (const ShownColumn& one : all) made.columns.push_back(one.title);
  for (const RowEvent* row : rows) {
    if (*row->table != table) continue;
    auto& cells = made.rows.emplace_back();
    for (const ShownColumn& one : all)
      cells.push_back(cell_of(row->values[one.place], table.columns[one.place], one));
    if (!lit.empty() && has_words(*row, {lit})) made.lit.push_back(made.rows.size() - 1);
  }
  return made;
}

std::string number_in_form(double number, const std::string& form) try {
  if (form.starts_with("size ")) return number_in_form(std::abs(number), form.substr(5));
  if (form == "count") return format_count(int64_t(number));
  if (form == "bytes") return format_bytes(number);
  if (form == "plain")  // of numbers of every size: 3.15, 295,336
    return std::abs(number) < 100 ? fmt::format("{:.2f}", number) : format_count(std::llround(number));
  return fmt::format(fmt::runtime("{:" + form + "}"), number);
} catch (const fmt::format_error& error) {
  throw InvariantError(fmt::format("no number has the form '{}': {}", form, error.what()));
}

std::vector<const RowEvent*> events_of_rows(const SectionView* section, std::string table, int64_t until_ns) {
  if (section == nullptr) return {};
  std::vector<std::string> wanted{cut_behind(table, " where ")};
  for (std::string more; !(more = cut_behind(wanted.back(), " and ")).empty();) wanted.push_back(more);
  auto rows = section->rows_of(table);
  std::erase_if(rows,
                [&](const RowEvent* row) { return row->time_ns > until_ns || !has_words(*row, wanted); });
  return rows;
}

std::vector<const RowEvent*> events_of_rows(const Trace& trace, const std::string& table) {
  std::vector<const RowEvent*> rows;
  for (const SectionView& section : trace.sections())
    std::ranges::copy(events_of_rows(&section, table), std::back_inserter(rows));
  return rows;
}

figure::TableCell cell_in(const RowEvent& row, const std::string& column) {
  const ShownColumn shown = needed(shown_column(*row.table, column));
  return cell_of(row.values[shown.place], row.table->columns[shown.place], shown);
}

figure::Table table_of_rows(const SectionView* section, std::string_view table,
                            const std::vector<std::string>& columns, const std::string& lit) {
  return section == nullptr ? figure::Table() : table_of_rows(section->rows_of(table), columns, lit);
}

figure::Table table_of_rows(const Trace& trace, std::string_view table,
                            const std::vector<std::string>& columns, const std::string& lit) {
  return table_of_rows(events_of_rows(trace, std::string(table)), columns, lit);
}

}  // namespace ringside::inline kit
