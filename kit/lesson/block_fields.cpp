#include "blocks.h"

#include <algorithm>
#include <map>

#include "ringside/base/error.h"
#include "ringside/lesson/suggest.h"

namespace ringside::inline kit {
namespace {

using Names = std::vector<std::string>;

const std::map<std::string, Names, std::less<>> kFields = {
    {"lesson", {"axis", "let", "needs", "nothing", "opening", "starting", "step", "untested", "watch"}},
    {"parameter", {"choice", "default", "kind", "least", "means", "most", "suggest", "unit"}},
    {"question", {"accepted", "again",   "ask",      "board", "context", "figure", "formula", "instant",
                  "kind",     "let",     "measured", "more",  "name",    "near",   "needs",   "option",
                  "right",    "section", "unit",     "whole", "why",     "wrong"}},
    {"claim",
     {"answer", "fast", "found", "holds", "least", "let", "most", "needs", "partly", "refuted", "says",
      "section", "slow", "source", "untold"}},
    {"figure", {"answers", "bars", "columns", "curves", "group",   "let", "level",   "lines",    "lit",
                "live",    "mark", "matters", "means",  "nothing", "row", "section", "sentence", "shows",
                "stacked", "tab",  "table",   "title",  "word",    "x",   "y"}},
    {"gauge", {"let", "name", "needs", "unit", "value"}},
    {"readout", {"answers", "let", "name", "value"}},
    {"live", {"let", "name", "part", "unit", "value"}}};

}  // namespace

void check_fields(const TextBlock& block) {
  const std::string named =
      block.kind.empty() ? "[" + block.id + "]" : "[" + block.kind + " " + block.id + "]";
  const auto known = kFields.find(block.kind.empty() ? block.id : block.kind);
  if (known == kFields.end()) throw InputError("{}: a lesson has no block of that kind", named);
  for (const auto& [name, value] : block.fields)
    if (std::ranges::count(known->second, name) == 0)
      throw InputError("{}: {}", named, no_such("field", name, known->second));
}

}  // namespace ringside::inline kit
