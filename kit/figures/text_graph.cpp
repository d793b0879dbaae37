// A graph as an outline: from each root along the edges. A chain goes straight down, a branch is indented, a
// node that stands above already is only named.
#include <algorithm>

#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

constexpr size_t kMostNodes = 60;

class Outline {
 public:
  Outline(TextBlock& text, const Graph& graph)
      : text_(text), graph_(graph), out_(graph.nodes.size()), seen_(out_.size()) {
    for (const Edge& edge : graph.edges) out_[edge.from].push_back(&edge);
  }

  void add() {
    std::vector<bool> has_source(out_.size());
    for (const Edge& edge : graph_.edges)
      if (edge.from != edge.to) has_source[edge.to] = true;
    for (size_t i = 0; i < out_.size(); ++i)
      if (!has_source[i]) add_node(i, "", "", "");
    for (size_t i = 0; i < out_.size(); ++i)  // of cycles, which have no root
      if (!seen_[i]) add_node(i, "", "", "");
    if (lines_ > kMostNodes) {
      const auto left = size_t(std::ranges::count(seen_, false));
      text_.more(left, tr("nodes"));
    }
  }

 private:
  // `first` stands before this node, `rest` before what hangs on it.
  void add_node(size_t node, const std::string& first, const std::string& rest, const std::string& edge) {
    if (++lines_ > kMostNodes) return;
    const Node& shown = graph_.nodes[node];
    const bool again = seen_[node];
    seen_[node] = true;
    const size_t used = columns(first) + 2;
    const std::string name = cut(shown.text, text_.width - std::min(text_.width - 10, used));
    std::string behind = shown.detail.empty() || again ? "" : "  " + clean(shown.detail);
    if (!edge.empty()) behind += "  [" + clean(edge) + "]";
    if (again) behind += tr("  (above)");
    const size_t room = text_.width - std::min(text_.width, used + columns(name));
    text_.line(first + (shown.lit && !again ? "▶ " : "") +
               text_.paint(name, shown.lit ? Ink::kAccent : shown.ink) +
               text_.paint(cut(behind, room), Ink::kDim));
    if (!again) add_edges(node, rest);
  }

  void add_edges(size_t node, const std::string& rest) {
    const std::vector<const Edge*>& edges = out_[node];
    const bool deep = columns(rest) + 20 > text_.width;  // no room to indent
    if (edges.size() == 1 || deep) {
      for (const Edge* edge : edges) add_node(edge->to, rest + "↳ ", rest, edge->text);
      return;
    }
    for (size_t i = 0; i < edges.size(); ++i) {
      const bool last = i + 1 == edges.size();
      add_node(edges[i]->to, rest + (last ? "└→ " : "├→ "), rest + (last ? "   " : "│  "), edges[i]->text);
    }
  }

  TextBlock& text_;
  const Graph& graph_;
  std::vector<std::vector<const Edge*>> out_;  // of each node
  std::vector<bool> seen_;
  size_t lines_ = 0;
};

}  // namespace

void add_text(TextBlock& text, const Graph& graph) { Outline(text, graph).add(); }

}  // namespace ringside::figure
