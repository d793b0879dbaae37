// Values with their kind: what a section says of itself, and rows of tables.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ringside/base/field.h"

namespace ringside::inline trace {

// Text, a whole number, a number, or yes or no, each as what it is.
class Attribute {
 public:
  using Value = std::variant<std::string, int64_t, double, bool>;

  Attribute() = default;
  Attribute(std::string text) : value_(std::move(text)) {}
  Attribute(std::string_view text) : value_(std::string(text)) {}
  Attribute(const char* text) : value_(std::string(text)) {}
  Attribute(bool yes) : value_(yes) {}
  Attribute(double number) : value_(number) {}
  template <std::integral I>
  Attribute(I number) : value_(int64_t(number)) {}
  template <NamedEnum E>
  Attribute(E value) : value_(std::string(to_string(value))) {}

  const Value& value() const { return value_; }
  // In words: text as it is, "4", "0.25", "yes".
  std::string text() const;
  // None where it is something else. Files of version 1 hold text alone: "4" counts as the number, and
  // "yes" and "on", "no" and "off" as what they say.
  std::optional<double> number() const;
  std::optional<int64_t> integer() const;
  std::optional<bool> yes() const;

  bool operator==(const Attribute&) const = default;

 private:
  Value value_;
};

using Attributes = std::map<std::string, Attribute>;

// A lesson's own subject as data: rows of a table that is declared once a run (TraceStore::declare). A row
// is recorded by a rank like any other event.
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

  // Why `values` does not fit the table, naming the column; "" where it does. A whole number fits a column of
  // numbers, and becomes one.
  std::string make_fit();
};

}  // namespace ringside::inline trace
