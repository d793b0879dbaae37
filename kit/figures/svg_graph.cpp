// A graph as SVG: layers from left to right.
#include <algorithm>

#include "ringside/figures/layers.h"
#include "svg_page.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

constexpr double kNodeHeight = 40, kNodeGap = 14, kLayerGap = 56;

double node_width(const Node& node) {
  return std::min(260.0, std::max(SvgPage::width_of(node.text), SvgPage::width_of(node.detail, 11)) + 20);
}

// Nodes of each layer, in the order of the mean place of their sources.
std::vector<std::vector<size_t>> ordered_layers(const Graph& graph) {
  const std::vector<size_t> layers = layers_of(graph).of_node;
  std::vector<std::vector<size_t>> rows(1 + *std::ranges::max_element(layers));
  for (size_t i = 0; i < layers.size(); ++i) rows[layers[i]].push_back(i);
  std::vector<double> place(layers.size()), sum(layers.size()), count(layers.size());
  std::vector<std::vector<size_t>> out(layers.size());
  for (const Edge& edge : graph.edges) out[edge.from].push_back(edge.to);
  for (std::vector<size_t>& row : rows) {
    std::ranges::stable_sort(row, [&](size_t a, size_t b) {
      const auto mean = [&](size_t i) { return count[i] == 0 ? 0 : sum[i] / count[i]; };
      return mean(a) < mean(b);
    });
    for (size_t i = 0; i < row.size(); ++i) {
      place[row[i]] = double(i) - double(row.size()) / 2;
      for (const size_t to : out[row[i]]) sum[to] += place[row[i]], ++count[to];
    }
  }
  return rows;
}

std::vector<Rect> placed(const Graph& graph, double top) {
  const auto layers = ordered_layers(graph);
  size_t most = 0;
  for (const auto& layer : layers) most = std::max(most, layer.size());
  const double height = double(most) * (kNodeHeight + kNodeGap);
  std::vector<Rect> places(graph.nodes.size());
  double x = SvgPage::kMargin;
  for (const auto& layer : layers) {
    double wide = 0;
    for (const size_t node : layer) wide = std::max(wide, node_width(graph.nodes[node]));
    double y = top + (height - double(layer.size()) * (kNodeHeight + kNodeGap)) / 2;
    for (const size_t node : layer) {
      places[node] = {x, y, wide, kNodeHeight};
      y += kNodeHeight + kNodeGap;
    }
    x += wide + kLayerGap;
  }
  return places;
}

}  // namespace

void add_svg(SvgPage& page, const Graph& graph) {
  const std::vector<Rect> places = placed(graph, page.bottom() + 16);
  for (const Edge& edge : graph.edges) {
    const Rect &from = places[edge.from], &to = places[edge.to];
    const bool forward = to.x > from.right();
    const double x0 = forward ? from.right() : from.x, x1 = forward ? to.x : to.right();
    const double y0 = from.y + from.height / 2, y1 = to.y + to.height / 2;
    page.arrow(x0, y0, x1, y1, {page.colours.dim, 1, forward ? "" : "4 3"});
    page.text((x0 + x1) / 2, (y0 + y1) / 2 - 4, edge.text, page.dim("middle", 11));
  }
  for (size_t i = 0; i < places.size(); ++i) {
    const Node& node = graph.nodes[i];
    const Rect& at = places[i];
    page.rect(at, node.lit ? page.colours.raised : page.colours.panel);
    page.outline(at, {page.of(node.lit ? Ink::kAccent : node.ink), node.lit ? 3.0 : 1.5});
    const double y = at.y + (node.detail.empty() ? 25 : 18);
    page.text(at.x + 10, y, SvgPage::cut_to(node.text, at.width - 16), page.plain());
    page.text(at.x + 10, y + 15, SvgPage::cut_to(node.detail, at.width - 16, 11), page.dim("start", 11));
  }
}

}  // namespace ringside::figure
