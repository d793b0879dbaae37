#include "ringside/lesson/parameter_blocks.h"

#include "ringside/base/check.h"

namespace ringside {
namespace {

void read_choices(const TextBlock& block, ParameterSpec& spec) {
  spec.kind = ParameterKind::kChoice;
  for (const std::string& one : block.all("choice")) {
    const size_t bar = one.find(" | ");
    spec.choices.push_back(one.substr(0, bar));
    if (bar != std::string::npos) spec.choice_meanings.push_back(one.substr(bar + 3));
  }
  RINGSIDE_CHECK(spec.choice_meanings.empty() || spec.choice_meanings.size() == spec.choices.size(),
                 "parameter '" << block.id << "': some choices have no meaning");
}

void read_range(const TextBlock& block, ParameterSpec& spec) {
  const Words range = block.words("range");
  RINGSIDE_CHECK(range.size() == 2 || (range.size() == 3 && range[2] == "real"),
                 "parameter '" << block.id << "': '" << block.text("range") << "' is no range, nor choices");
  spec.kind = range.size() == 3 ? ParameterKind::kReal : ParameterKind::kInteger;
  spec.minimum = std::stod(range[0]);
  spec.maximum = std::stod(range[1]);
}

}  // namespace

std::vector<ParameterSpec> parameters_of(const TextBlocks& blocks) {
  std::vector<ParameterSpec> specs;
  for (const TextBlock& block : blocks.all()) {
    ParameterSpec& spec = specs.emplace_back();
    spec.name = block.id;
    spec.meaning = block.text("means");
    spec.unit = block.text("unit");
    spec.default_value = block.text("value");
    spec.choices = block.all("suggest");
    if (block.has("suggest"))
      spec.kind = ParameterKind::kText;
    else if (block.has("choice"))
      read_choices(block, spec);
    else
      read_range(block, spec);
  }
  return specs;
}

}  // namespace ringside
