#include "ringside/planner/ready_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

#include "ringside/base/check.h"

namespace ringside::inline planner {
namespace {

using Name = std::string_view;

struct NamedPart {
  Name prefix;  // of names, behind "model." and "language_model."
  const char* group;
};
// The parts of a model, in backward order.
constexpr NamedPart kParts[] = {{"score", "head"},
                                {"lm_head", "head"},
                                {"norm", "final norm"},
                                {"layers.", "layer"},
                                {"visual.merger.", "vision"},
                                {"visual.blocks.", "vision"},
                                {"visual.patch_embed.", "vision"},
                                {"embed_positions", "embedding"},
                                {"embed_tokens", "embedding"}};
// The modules within one layer, block or other part, in backward order; "": the part is one module.
constexpr Name kModules[] = {"",
                             // behind the MLP, where norms follow their sub-layers
                             "post_feedforward_layernorm",
                             // a block's MLP, of the one kind or the other, or a layer's
                             "mlp.fc2", "mlp.fc1", "mlp.down_proj", "mlp.up_proj", "mlp.gate_proj",
                             // the rest of a layer
                             "post_attention_layernorm", "self_attn.o_proj", "self_attn.v_proj",
                             "self_attn.k_proj", "self_attn.q_proj", "input_layernorm",
                             // the rest of a block
                             "norm2", "attn.proj", "attn.qkv", "norm1",
                             // the merger, the patches
                             "mlp.2", "mlp.0", "ln_q", "proj"};

void strip(Name& name, Name prefix) {
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
}

struct Place {
  const NamedPart* part;
  int64_t index = 0;  // of a layer or block
  Name module{};
  Name tensor{};  // "weight", "bias"
};

Place place_of(const std::string& parameter) {
  Name name = parameter;
  strip(name, "model.");
  strip(name, "language_model.");
  Place place{std::ranges::find_if(
      kParts, [&](Name prefix) { return name.starts_with(prefix); }, &NamedPart::prefix)};
  RINGSIDE_CHECK(place.part != std::end(kParts), "a parameter of no known model: " << parameter);
  name.remove_prefix(place.part->prefix.size());
  const char* const behind = std::from_chars(name.data(), name.data() + name.size(), place.index).ptr;
  name.remove_prefix(size_t(behind - name.data()));
  strip(name, ".");
  const size_t dot = name.rfind('.');
  if (dot != Name::npos) place.module = name.substr(0, dot);
  place.tensor = name.substr(dot + 1);  // from 0 on where there is no dot
  return place;
}

// Sorts as the gradients become ready.
using Key = std::tuple<const NamedPart*, int64_t, const Name*, bool>;

Key key_of(const std::string& parameter) {
  const Place place = place_of(parameter);
  const Name* const module = std::ranges::find(kModules, place.module);
  RINGSIDE_CHECK(module != std::end(kModules), "a module of no known model: " << parameter);
  const bool is_norm = place.part->group == Name("final norm") || place.module == "ln_q" ||
                       place.module.find("norm") != Name::npos;
  return {place.part, -place.index, module, (place.tensor == "bias") == is_norm};
}

}  // namespace

std::vector<int> ready_order(const std::vector<ParameterShape>& shapes) {
  std::vector<std::pair<Key, int>> keyed;
  for (size_t i = 0; i < shapes.size(); ++i)
    if (shapes[i].trainable) keyed.emplace_back(key_of(shapes[i].name), int(i));
  std::ranges::sort(keyed);
  std::vector<int> order;
  for (const auto& [key, index] : keyed) order.push_back(index);
  return order;
}

std::string group_of(const std::string& parameter) {
  const Place place = place_of(parameter);
  const std::string group = place.part->group;
  return group == "layer" ? fmt::format("layer {}", place.index) : group;
}

}  // namespace ringside::inline planner
