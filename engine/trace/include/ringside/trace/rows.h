// A table whose rows are a struct, so that writer and reader share one declaration:
//
//   struct Loan {
//     static constexpr char kTable[] = "loans";
//     std::string book;
//     int64_t days = 0;
//   };
//   void visit_fields(RowOf<Loan> auto& row, auto&& visit) {
//     visit(Field{"book", "its title"}, row.book);
//     visit(Field{"days", "for how long", "days"}, row.days);
//   }
//
// A field is a std::string, an int64_t, a double or a bool.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside {

template <typename R, typename T>
concept RowOf = std::same_as<std::remove_const_t<R>, T>;

template <typename T>
TraceTable table_of() {
  TraceTable table{T::kTable, {}};
  const T row;
  visit_fields(row, [&](const Field& field, const auto& value) {
    table.columns.push_back({field.name, kind_of(value), field.unit});
  });
  return table;
}

// Stamped with this moment.
template <typename T>
void record_row(Recorder& recorder, const T& row) {
  std::vector<Attribute> values;
  visit_fields(row, [&](const Field&, const auto& value) { values.emplace_back(value); });
  recorder.row(recorder.declare(table_of<T>()), std::move(values));
}

// None for a row of another table; a file's table of this name may have other columns.
template <typename T>
std::optional<T> row_as(const RowEvent& event) {
  static const TraceTable table = table_of<T>();
  if (*event.table != table) return std::nullopt;
  T row;
  size_t column = 0;
  visit_fields(
      row, [&]<typename V>(const Field&, V& value) { value = std::get<V>(event.values[column++].value()); });
  return row;
}

// Of all ranks: rank after rank, each in the order of recording.
template <typename T>
std::vector<T> rows_as(const SectionView& section) {
  std::vector<T> rows;
  for (const RowEvent* event : section.rows_of(T::kTable))
    if (const auto row = row_as<T>(*event)) rows.push_back(*row);
  return rows;
}

}  // namespace ringside
