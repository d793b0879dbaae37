#include "json_text.h"

#include <ostream>

namespace ringside {
namespace {

std::string flat(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool is_flat(const Json& value) {
  if (!value.is_structured() || value.empty()) return true;
  return value.is_array() && !value.front().is_structured();
}

void write(const Json& value, size_t depth, std::ostream& out) {
  if (is_flat(value)) {
    out << flat(value);
    return;
  }
  const std::string indent(2 * depth + 2, ' ');
  const char* separator = "\n";
  out << (value.is_object() ? '{' : '[');
  for (const auto& [key, member] : value.items()) {
    out << separator << indent;
    if (value.is_object()) out << flat(key) << ": ";
    write(member, depth + 1, out);
    separator = ",\n";
  }
  out << '\n' << std::string(2 * depth, ' ') << (value.is_object() ? '}' : ']');
}

}  // namespace

void write_json(const Json& document, std::ostream& out) {
  write(document, 0, out);
  out << '\n';
}

}  // namespace ringside
