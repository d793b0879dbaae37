#include "blocks.h"

#include "ringside/base/check.h"
#include "ringside/lesson/formula.h"

namespace ringside::inline kit {

namespace {

ParameterSpec choice_of(const TextBlock& block) {
  ParameterSpec spec = choice(block.id, block.text("means"), block.text("default"), {});
  for (const std::string& one : block.all("choice")) {
    const size_t bar = one.find(" | ");
    spec.choices.push_back(one.substr(0, bar));
    if (bar != one.npos) spec.choice_meanings.push_back(one.substr(bar + 3));
  }
  RINGSIDE_CHECK(spec.choice_meanings.empty() || spec.choice_meanings.size() == spec.choices.size(),
                 "parameter '" << block.id << "': some choices have no meaning");
  return spec;
}

}  // namespace

double number_of(const TextBlock& block, const char* field, double otherwise) {
  return block.has(field) ? Formula::parse(block.text(field), {}).value({}) : otherwise;
}

ParameterSpec parameter_of(const TextBlock& block) {
  const std::string means = block.text("means"), value = block.text("default"), kind = block.text("kind");
  if (block.has("suggest") || kind == "text") return text(block.id, means, value, block.all("suggest"));
  if (block.has("choice")) return choice_of(block);
  RINGSIDE_CHECK(kind.empty() || kind == "real" || kind == "count",
                 "'" << block.id << "': no parameter is of the kind '" << kind << "'");
  return number(block.id, means, block.text("unit"), value, number_of(block, "least", 0),
                number_of(block, "most", 0),
                kind == "real"    ? ParameterKind::kReal
                : kind == "count" ? ParameterKind::kCount
                                  : ParameterKind::kInteger);
}

}  // namespace ringside::inline kit
