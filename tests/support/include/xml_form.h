// Is it well-formed XML? As much of it as our SVG uses: one root, elements closed in order, attributes in
// double quotes, the five entities.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside::testing {

inline bool escapes_are_whole(std::string_view text) {
  for (size_t at = 0; (at = text.find('&', at)) != std::string_view::npos; ++at) {
    bool known = false;
    for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})
      known = known || text.substr(at).starts_with(entity);
    if (!known) return false;
  }
  return text.find('<') == std::string_view::npos;
}

// "" where it is.
inline std::string why_not_xml(std::string_view text) {
  std::vector<std::string> open;
  size_t roots = 0, at = text.find("?>") + 2;
  if (!text.starts_with("<?xml")) return "no declaration";
  while (at < text.size()) {
    const size_t tag = text.find('<', at), end = text.find('>', tag);
    if (!escapes_are_whole(text.substr(at, tag - at))) return "a bare & in a text";
    if (tag == std::string_view::npos) break;
    if (end == std::string_view::npos) return "a tag has no end";
    std::string_view inside = text.substr(tag + 1, end - tag - 1);
    at = end + 1;
    if (inside.starts_with('/')) {
      if (open.empty() || open.back() != inside.substr(1))
        return "closed out of order: " + std::string(inside);
      open.pop_back();
      continue;
    }
    const bool closed = inside.ends_with('/');
    if (closed) inside.remove_suffix(1);
    const std::string name(inside.substr(0, inside.find(' ')));
    if (open.empty() && ++roots > 1) return "two roots";
    size_t quotes = 0;
    for (const char c : inside) quotes += c == '"';
    if (quotes % 2 != 0 || !escapes_are_whole(inside)) return "an attribute of " + name;
    if (!closed) open.push_back(name);
  }
  return open.empty() && roots == 1 ? "" : "not closed";
}

}  // namespace ringside::testing
