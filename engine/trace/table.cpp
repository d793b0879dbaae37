#include "ringside/trace/table.h"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include "ringside/base/text.h"
#include "ringside/trace/rows.h"

namespace ringside::inline trace {

std::string Attribute::text() const {
  if (const auto* flag = std::get_if<bool>(&value_)) return *flag ? "yes" : "no";
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value_);
}

std::optional<double> Attribute::number() const {
  if (const auto* whole = std::get_if<int64_t>(&value_)) return double(*whole);
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  if (const auto* text = std::get_if<std::string>(&value_)) return read_number<double>(*text);
  return std::nullopt;
}

std::optional<int64_t> Attribute::integer() const {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (const auto* whole = std::get_if<int64_t>(&value_)) return *whole;
  const std::optional<double> value = number();
  if (!value || !(std::abs(*value) <= kExact) || std::trunc(*value) != *value) return std::nullopt;
  return int64_t(*value);
}

std::optional<bool> Attribute::yes() const {
  if (const auto* flag = std::get_if<bool>(&value_)) return *flag;
  const auto* text = std::get_if<std::string>(&value_);
  if (text != nullptr && (*text == "yes" || *text == "on")) return true;
  if (text != nullptr && (*text == "no" || *text == "off")) return false;
  return std::nullopt;
}

constexpr std::string_view kColumnKindTexts[] = {"text", "integer", "number", "boolean"};
std::span<const std::string_view> texts(ColumnKind) { return kColumnKindTexts; }

ColumnKind kind_of(const Attribute& value) {
  static_assert(std::is_same_v<std::variant_alternative_t<0, Attribute::Value>, std::string>);
  static_assert(std::is_same_v<std::variant_alternative_t<1, Attribute::Value>, int64_t>);
  static_assert(std::is_same_v<std::variant_alternative_t<2, Attribute::Value>, double>);
  return static_cast<ColumnKind>(value.value().index());  // the kinds are in the variant's order
}

std::string TraceTable::why_unfit() const {
  if (name.empty() || name.size() > kMaxColumnText)
    return fmt::format("name: not of 1 to {} bytes", kMaxColumnText);
  if (columns.empty() || columns.size() > kMaxColumns)
    return fmt::format("columns: {} of them, not 1 to {}", columns.size(), kMaxColumns);
  std::set<std::string_view> names;
  for (const TraceColumn& column : columns) {
    if (column.name.empty() || column.name.size() > kMaxColumnText || column.unit.size() > kMaxColumnText)
      return fmt::format("columns: a name or unit is not of 1 to {} bytes", kMaxColumnText);
    if (!names.insert(column.name).second) return fmt::format("columns: '{}' comes twice", column.name);
  }
  return "";
}

std::string RowEvent::make_fit() {
  if (values.size() != table->columns.size())
    return fmt::format("values: {} of them, table '{}' has {} columns", values.size(), table->name,
                       table->columns.size());
  size_t text_bytes = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const TraceColumn& column = table->columns[i];
    if (const auto* text = std::get_if<std::string>(&values[i].value())) text_bytes += text->size();
    if (column.kind == ColumnKind::kNumber && kind_of(values[i]) == ColumnKind::kInteger)
      values[i] = *values[i].number();
    if (kind_of(values[i]) != column.kind)
      return fmt::format("values: column '{}' of table '{}': {} where {} belongs", column.name, table->name,
                         to_string(kind_of(values[i])), to_string(column.kind));
  }
  if (text_bytes > kMaxRowText) return fmt::format("values: more than {} bytes of text", kMaxRowText);
  return "";
}

TraceTable make_table(std::string_view table, std::span<const std::string_view> names,
                      std::span<const ColumnKind> kinds) {
  TraceTable made{std::string(table), {}};
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t at = names[i].ends_with(']') ? names[i].rfind(" [") : names[i].npos;
    TraceColumn& column = made.columns.emplace_back();
    column = {std::string(names[i].substr(0, at)), kinds[i]};
    if (at != names[i].npos) column.unit = names[i].substr(at + 2, names[i].size() - at - 3);
  }
  return made;
}

}  // namespace ringside::inline trace
