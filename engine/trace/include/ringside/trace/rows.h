// A table whose rows are a struct, so that writer and reader share one declaration:
//
//   struct Loan {
//     static constexpr Columns kTable{"loans", "book", "days [days]"};  // one a member, in their order
//     std::string book;
//     int64_t days = 0;  // for how long
//   };
//
// A column's unit stands in brackets behind its name. A member is a std::string, an int64_t, a double or a
// bool. Another number of columns than of members does not compile.
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ringside/base/members.h"
#include "ringside/trace/trace.h"

namespace ringside::inline trace {

template <typename R, typename T>
concept RowOf = std::same_as<std::remove_const_t<R>, T>;

template <size_t N>
struct Columns {
  template <typename... Names>
  constexpr explicit Columns(const char* of, Names... all) : table(of), names{all...} {}
  constexpr operator std::string_view() const { return table; }
  static constexpr size_t kCount = N;

  std::string_view table;
  std::array<std::string_view, N> names;
};
template <typename... Names>
Columns(const char*, Names...) -> Columns<sizeof...(Names)>;

// Each name with its unit behind it, and a kind each.
TraceTable make_table(std::string_view table, std::span<const std::string_view> names,
                      std::span<const ColumnKind> kinds);

template <typename T>
const TraceTable& table_of() {
  static const TraceTable table = [] {
    const T row;
    const auto kinds = [](const auto&... members) { return std::array{kind_of(members)...}; };
    return make_table(T::kTable.table, T::kTable.names, with_members<T::kTable.kCount>(row, kinds));
  }();
  return table;
}

// Stamped with this moment.
template <typename T>
void record_row(Recorder& recorder, const T& row) {
  const auto values = [](const auto&... members) { return std::vector<Attribute>{members...}; };
  recorder.row(recorder.declare(table_of<T>()), with_members<T::kTable.kCount>(row, values));
}

// None for a row of another table; a file's table of this name may have other columns.
template <typename T>
std::optional<T> row_as(const RowEvent& event) {
  if (*event.table != table_of<T>()) return std::nullopt;
  T row;
  auto value = event.values.begin();
  with_members<T::kTable.kCount>(
      row, [&]<typename... V>(V&... members) { ((members = std::get<V>((value++)->value())), ...); });
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

}  // namespace ringside::inline trace
