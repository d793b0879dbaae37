#include "ringside/planner/ready_order.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <tuple>

#include "ringside/base/check.h"
#include "ringside/planner/model_shapes.h"

namespace ringside {
namespace {

using Name = std::string_view;

// Parts of a model and modules of a part, each list in backward order.
enum Part { kHead, kFinalNorm, kLayer, kMerger, kBlock, kPatches, kEmbedding };
constexpr std::array<Name, 9> kLayerModules = {
    "mlp.down_proj",    "mlp.up_proj",      "mlp.gate_proj",    "post_attention_layernorm",
    "self_attn.o_proj", "self_attn.v_proj", "self_attn.k_proj", "self_attn.q_proj",
    "input_layernorm"};
constexpr std::array<Name, 9> kBlockModules = {"mlp.fc2",     "mlp.fc1",       "mlp.down_proj",
                                               "mlp.up_proj", "mlp.gate_proj", "norm2",
                                               "attn.proj",   "attn.qkv",      "norm1"};
constexpr std::array<Name, 3> kMergerModules = {"mlp.2", "mlp.0", "ln_q"};

bool strip(Name& name, Name prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

// "27.mlp.up_proj" -> 27, and the rest.
int64_t strip_index(Name& name) {
  int64_t index = -1;
  const auto end = std::from_chars(name.data(), name.data() + name.size(), index).ptr;
  name.remove_prefix(static_cast<size_t>(end - name.data()));
  strip(name, ".");
  return index;
}

struct Place {
  Part part = kHead;
  int64_t index = 0;  // of a layer or block
  Name rest;          // module and tensor: "mlp.up_proj.weight"
};

Place place_of(Name name) {
  const Name whole = name;
  if (strip(name, "score.") || strip(name, "lm_head.")) return {kHead, 0, name};
  RINGSIDE_CHECK(strip(name, "model."), "a parameter of no known model: " << whole);
  if (strip(name, "visual.")) {
    if (strip(name, "patch_embed.")) return {kPatches, 0, name};
    if (strip(name, "merger.")) return {kMerger, 0, name};
    RINGSIDE_CHECK(strip(name, "blocks."), "a parameter of no known model: " << whole);
    const int64_t index = strip_index(name);
    return {kBlock, index, name};
  }
  strip(name, "language_model.");
  if (strip(name, "embed_tokens.")) return {kEmbedding, 0, name};
  if (strip(name, "norm.")) return {kFinalNorm, 0, name};
  RINGSIDE_CHECK(strip(name, "layers."), "a parameter of no known model: " << whole);
  const int64_t index = strip_index(name);
  return {kLayer, index, name};
}

template <size_t N>
int position(const std::array<Name, N>& modules, Name module) {
  const auto found = std::find(modules.begin(), modules.end(), module);
  RINGSIDE_CHECK(found != modules.end(), "a module of no known model: " << module);
  return static_cast<int>(found - modules.begin());
}

// Sorts as the gradients become ready.
using Key = std::tuple<int, int64_t, int, int>;

Key key_of(const std::string& name) {
  const Place place = place_of(name);
  const size_t dot = place.rest.rfind('.');
  const Name module = dot == Name::npos ? Name() : place.rest.substr(0, dot);
  int in_part = 0;
  if (place.part == kLayer) in_part = position(kLayerModules, module);
  if (place.part == kBlock) in_part = position(kBlockModules, module);
  if (place.part == kMerger) in_part = position(kMergerModules, module);
  const bool is_norm = place.part == kFinalNorm || module.find("norm") != Name::npos || module == "ln_q";
  const bool first = name.ends_with(".bias") != is_norm;
  return {place.part, -place.index, in_part, first ? 0 : 1};
}

}  // namespace

std::vector<int> ready_order(const std::vector<ParameterShape>& shapes) {
  std::vector<std::pair<Key, int>> keyed;
  keyed.reserve(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i)
    if (shapes[i].trainable) keyed.emplace_back(key_of(shapes[i].name), static_cast<int>(i));
  std::sort(keyed.begin(), keyed.end());
  std::vector<int> order;
  order.reserve(keyed.size());
  for (const auto& [key, index] : keyed) order.push_back(index);
  return order;
}

std::string group_of(const std::string& parameter) {
  const Place place = place_of(parameter);
  switch (place.part) {
    case kHead:
      return "head";
    case kFinalNorm:
      return "final norm";
    case kLayer:
      return "layer " + std::to_string(place.index);
    case kEmbedding:
      return "embedding";
    default:
      return "vision";
  }
}

}  // namespace ringside
