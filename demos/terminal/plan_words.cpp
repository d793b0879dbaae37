#include "plan_words.h"

#include <functional>

#include "ringside/base/units.h"
#include "ringside/planner/ready_order.h"

namespace ringside {
namespace {

bool is_layer(const BucketPiece& piece) { return piece.whole && piece.group.starts_with("layer "); }

// Whole layers of one size that follow each other, 3 and more, are worded together.
size_t end_of_run(const std::vector<BucketPiece>& pieces, size_t begin) {
  size_t end = begin + 1;
  if (!is_layer(pieces[begin])) return end;
  while (end < pieces.size() && is_layer(pieces[end]) && pieces[end].elements == pieces[begin].elements)
    ++end;
  return end - begin >= 3 ? end : begin + 1;
}

using Words = std::function<std::string(const BucketPiece& piece, const std::string& name, size_t count)>;

std::string joined(const std::vector<BucketPiece>& pieces, const char* separator, const Words& words) {
  std::string text;
  for (size_t i = 0; i < pieces.size();) {
    const size_t end = end_of_run(pieces, i);
    std::string name = pieces[i].whole               ? pieces[i].group
                       : pieces[i].parameter.empty() ? "part of " + pieces[i].group
                                                     : tensor_words(pieces[i].parameter);
    if (end - i > 1) name = "layers " + pieces[i].group.substr(6) + " to " + pieces[end - 1].group.substr(6);
    text += (text.empty() ? "" : separator) + words(pieces[i], name, end - i);
    i = end;
  }
  return text;
}

}  // namespace

std::string tensor_words(const std::string& parameter) {
  const std::string group = group_of(parameter);
  if (group == "embedding" || group == "final norm" || parameter == "lm_head.weight") return group;
  std::string name = parameter;
  if (group == "head") return "head's " + name.substr(name.rfind('.') + 1);
  if (name.ends_with(".weight")) name.resize(name.size() - 7);
  if (group == "vision") return "vision's " + name.substr(name.find("visual.") + 7);
  name = name.substr(name.find("layers.") + 7);
  name = name.substr(name.find('.') + 1);
  for (const char* block : {"mlp.", "self_attn."})
    if (name.starts_with(block)) name = name.substr(name.find('.') + 1);
  return group + "'s " + name;
}

std::string sum_words(const std::vector<BucketPiece>& pieces) {
  return joined(pieces, " + ", [](const BucketPiece& piece, const std::string& name, size_t count) {
    const std::string elements = format_count(piece.elements);
    return name + (count > 1 ? " (" + std::to_string(count) + " × " + elements + ")" : " " + elements);
  });
}

std::string piece_words(const std::vector<BucketPiece>& pieces) {
  return joined(pieces, ", ", [](const BucketPiece&, const std::string& name, size_t) { return name; });
}

Json pieces_json(const std::vector<BucketPiece>& pieces) {
  Json list = Json::array();
  for (const BucketPiece& piece : pieces)
    list.push_back({{"group", piece.group}, {"elements", piece.elements}, {"whole", piece.whole}});
  return list;
}

Json tensor_json(const std::string& parameter, int64_t elements) {
  if (parameter.empty()) return nullptr;
  return {{"parameter", parameter}, {"elements", elements}};
}

}  // namespace ringside
