// A lesson's own subject as data: rows of a table that is declared once a run (TraceStore::declare). A row
// is recorded by a rank like any other event.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/trace/attribute.h"

namespace ringside {

enum class ColumnKind : uint8_t { kText, kInteger, kNumber, kBoolean };
std::span<const std::string_view> texts(ColumnKind);  // "text", "integer", "number", "boolean"
ColumnKind kind_of(const Attribute& value);

struct TraceColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kText;
  std::string unit = "";  // "bytes", "s", or ""
  bool operator==(const TraceColumn&) const = default;
};

// A row fits a line of JSONL (TraceLimits::line_bytes), also where each byte of its text is escaped.
inline constexpr size_t kMaxTables = 256, kMaxColumns = 64, kMaxColumnText = 256, kMaxRowText = 96 << 10;

struct TraceTable {
  std::string name;
  std::vector<TraceColumn> columns;

  // InvariantError where there is no such column.
  size_t column(std::string_view name) const;
  // Why no table can be declared so; "" where it can.
  std::string why_unfit() const;
  bool operator==(const TraceTable&) const = default;
};
using TablePtr = std::shared_ptr<const TraceTable>;

struct RowEvent {
  TablePtr table;
  int64_t time_ns = 0;
  int32_t rank = 0;
  std::vector<Attribute> values;  // one a column, of its kind

  // By the column's name; InvariantError where there is none or where it holds something else.
  const std::string& text(std::string_view column) const;
  int64_t integer(std::string_view column) const;
  double number(std::string_view column) const;
  bool yes(std::string_view column) const;

  // Why `values` does not fit the table, naming the column; "" where it does. A whole number fits a column of
  // numbers, and becomes one.
  std::string make_fit();
};

}  // namespace ringside
