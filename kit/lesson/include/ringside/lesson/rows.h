// Rows of a trace as claims and figures read them. Where a run has recorded none there is none.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ringside/lesson/figure.h"
#include "ringside/trace/rows.h"

namespace ringside::inline kit {

// Whether members of a row have these values: having(&Loan::book, "Emma", &Loan::days, 3).
inline auto having() {
  return [](const auto&) { return true; };
}
template <typename Row, typename V, typename... More>
auto having(V Row::*member, std::type_identity_t<V> value, const More&... more) {
  return [=, rest = having(more...)](const Row& row) { return row.*member == value && rest(row); };
}

// Of a section, as far as it had come at the instant; a null section has none.
template <typename T>
std::vector<T> rows_in(const SectionView* section, int64_t until_ns = std::numeric_limits<int64_t>::max()) {
  std::vector<T> rows;
  if (section == nullptr) return rows;
  for (const RowEvent* event : section->rows_of(T::kTable))
    if (event->time_ns <= until_ns)
      if (auto row = row_as<T>(*event)) rows.push_back(std::move(*row));
  return rows;
}

template <typename T>
std::optional<T> last_row(const SectionView* section,
                          int64_t until_ns = std::numeric_limits<int64_t>::max()) {
  auto rows = rows_in<T>(section, until_ns);
  return rows.empty() ? std::nullopt : std::optional(std::move(rows.back()));
}

// Of all sections, in their order: those for which is_so(row).
template <typename T, typename IsSo>
std::vector<T> rows_where(const Trace& trace, const IsSo& is_so) {
  std::vector<T> rows;
  for (const SectionView& section : trace.sections())
    for (T& row : rows_in<T>(&section))
      if (is_so(row)) rows.push_back(std::move(row));
  return rows;
}
// The first of them.
template <typename T, typename IsSo>
std::optional<T> row_where(const Trace& trace, const IsSo& is_so) {
  auto rows = rows_where<T>(trace, is_so);
  return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}
template <typename T>
std::vector<T> rows_in(const Trace& trace) {
  return rows_where<T>(trace, [](const T&) { return true; });
}

template <typename T, typename V>
std::vector<V> values_of(const std::vector<T>& rows, V T::*member) {
  std::vector<V> values;
  for (const T& row : rows) values.push_back(row.*member);
  return values;
}

// What a claim, a question, a figure or a gauge needs was not run. Thrown, and caught by lesson_of(): a claim
// is then not testable, a question not measured, and a figure has nothing to show.
struct NotRun {
  std::string why = {};  // "": as the lesson says it (its block's `nothing` or `untested`)
};

// The value, the section, the rows, the finite number; NotRun where there is none.
template <typename T>
T needed(std::optional<T> value) {
  if (!value) throw NotRun();
  return std::move(*value);
}
template <typename T>
std::vector<T> needed(std::vector<T> rows) {
  if (rows.empty()) throw NotRun();
  return rows;
}
inline const SectionView& needed(const SectionView* section) {
  if (section == nullptr) throw NotRun();
  return *section;
}
inline double needed(double number) {
  if (!std::isfinite(number)) throw NotRun();
  return number;
}

// Of all sections: the rows whose first columns have these values, rows_of<Loan>(trace, "Emma", 3).
template <typename T, typename... Keys>
std::vector<T> rows_of(const Trace& trace, const Keys&... keys) {
  return rows_where<T>(trace, [&](const T& row) {
    const auto columns =
        with_members<T::kTable.kCount>(row, [](const auto&... all) { return std::tie(all...); });
    return [&]<size_t... I>(std::index_sequence<I...>) { return ((std::get<I>(columns) == keys) && ...); }
    (std::index_sequence_for<Keys...>());
  });
}
// The first of them, the last of them; NotRun where there is none.
template <typename T, typename... Keys>
T row_of(const Trace& trace, const Keys&... keys) {
  return needed(rows_of<T>(trace, keys...)).front();
}
template <typename T, typename... Keys>
T last_row_of(const Trace& trace, const Keys&... keys) {
  return needed(rows_of<T>(trace, keys...)).back();
}

// A recorded table as a figure, of one section or of all: with these columns in this order, or with all as
// they were declared. A column is "NAME", "NAME = TITLE", or either of them with " : FORM", or with " : FORM
// or WORD": TITLE is that of figure::columns(), FORM that of a number ("late [%] : .1f"; "count": 1,024;
// "names" where it names its row), WORD stands for 0, — for NaN. `lit`: "stage = 3", the rows that are lit. Empty where the run's table lacks
// a column.
figure::Table table_of_rows(const SectionView* section, std::string_view table,
                            const std::vector<std::string>& columns = {}, const std::string& lit = "");
figure::Table table_of_rows(const Trace& trace, std::string_view table,
                            const std::vector<std::string>& columns = {}, const std::string& lit = "");
figure::Table table_of_rows(const std::vector<const RowEvent*>& rows, const std::vector<std::string>& columns,
                            const std::string& lit);
// Such a table's rows in all sections, or "loans where book = Emma and late = yes": those that have these
// words in their columns; or in one section, as far as it had come. What a column (in this form) has in one
// of them. NotRun where its table lacks the column.
std::vector<const RowEvent*> events_of_rows(const Trace& trace, const std::string& table);
std::vector<const RowEvent*> events_of_rows(const SectionView* section, std::string table,
                                            int64_t until_ns = std::numeric_limits<int64_t>::max());
std::string number_in_form(double number, const std::string& form);  // ".1f", "count", "bytes", "size .1f"
figure::TableCell cell_in(const RowEvent& row, const std::string& column);

}  // namespace ringside::inline kit
