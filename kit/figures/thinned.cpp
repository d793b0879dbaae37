#include <algorithm>
#include <cmath>

#include "kinds.h"
#include "ringside/figures/compute.h"

namespace ringside::figure {
namespace {

template <typename T>
void keep_first(std::vector<T>& all, size_t most) {
  if (all.size() > most) all.resize(most);
}

// About `most` of n places, evenly, both ends among them.
std::vector<size_t> evenly(size_t n, size_t most) {
  const size_t count = std::min(n, std::max<size_t>(most, 2));
  std::vector<size_t> places;
  for (size_t i = 0; i < count; ++i) places.push_back(count < 2 ? 0 : i * (n - 1) / (count - 1));
  return places;
}

// The least and the highest of each stretch, in their order; a stretch of nothing but gaps is one gap.
std::vector<Point> thin_line(const std::vector<Point>& line, size_t most) {
  if (line.size() <= most) return line;
  const size_t stretches = std::max<size_t>(1, (std::max<size_t>(most, 4) - 2) / 2), inner = line.size() - 2;
  std::vector<Point> kept = {line.front()};
  for (size_t s = 0; s < stretches; ++s) {
    const size_t from = 1 + inner * s / stretches, to = 1 + inner * (s + 1) / stretches;
    size_t low = from, high = from;
    for (size_t i = from; i < to; ++i) {
      if (std::isnan(line[low].y) || line[i].y < line[low].y) low = i;
      if (std::isnan(line[high].y) || line[i].y > line[high].y) high = i;
    }
    if (from == to) continue;
    kept.push_back(line[std::min(low, high)]);
    if (low != high) kept.push_back(line[std::max(low, high)]);
  }
  kept.push_back(line.back());
  return kept;
}

// What a learner must not miss stands last.
int badness(const MatrixCell& cell) {
  constexpr int kOf[] = {1, 0, 2, 3, 4};  // value, empty, same, different, wrong
  return kOf[size_t(cell.state)];
}

}  // namespace

void thin(Nothing&, size_t) {}

void thin(Lines& lines, size_t most) {
  keep_first(lines.bands, most / 20);
  keep_first(lines.marks, most / 20);
  keep_first(lines.lines, most / 20);
  const size_t each = most * 9 / 10 / std::max<size_t>(1, lines.lines.size());
  size_t spare = most * 9 / 10, left = lines.lines.size();
  std::vector<Line*> by_size;
  for (Line& line : lines.lines) by_size.push_back(&line);
  std::ranges::stable_sort(by_size,
                           [](const Line* a, const Line* b) { return a->points.size() < b->points.size(); });
  for (Line* line : by_size) {  // what short ones do not need is the long ones'
    line->points = thin_line(line->points, std::max(each, spare / left));
    spare -= std::min(spare, line->points.size());
    --left;
  }
}

void thin(Bars& bars, size_t most) { keep_first(bars.rows, most / std::max<size_t>(1, bars.parts.size())); }

void thin(Matrix& matrix, size_t most) {
  const size_t columns = matrix.columns.size(), rows = matrix.rows.size();
  size_t step = 1;
  while (((rows + step - 1) / step) * ((columns + step - 1) / step) > most) ++step;
  Matrix kept = matrix;
  kept.rows.clear(), kept.columns.clear(), kept.cells.clear();
  for (size_t c = 0; c < columns; c += step) kept.columns.push_back(matrix.columns[c]);
  for (size_t r = 0; r < rows; r += step) {
    kept.rows.push_back(matrix.rows[r]);
    for (size_t c = 0; c < columns; c += step) {
      const MatrixCell* worst = &matrix.cells[r * columns + c];
      for (size_t i = r; i < std::min(rows, r + step); ++i)
        for (size_t j = c; j < std::min(columns, c + step); ++j)
          if (badness(matrix.cells[i * columns + j]) > badness(*worst))
            worst = &matrix.cells[i * columns + j];
      kept.cells.push_back(*worst);
    }
  }
  matrix = std::move(kept);
}

void thin(Contours& contours, size_t most) {
  keep_first(contours.paths, most / 20);
  for (Path& path : contours.paths) {
    std::vector<Point> points;
    for (const size_t i : evenly(path.points.size(), most / 2 / contours.paths.size()))
      points.push_back(path.points[i]);
    path.points = std::move(points);
  }
  // Rows and columns alike, so that both together are no more than half.
  const double share = std::sqrt(double(most) / 2 / double(contours.rows) / double(contours.columns));
  if (share >= 1) return;
  const auto part = [&](size_t n) { return evenly(n, size_t(share * double(n))); };
  const auto rows = part(contours.rows), columns = part(contours.columns);
  std::vector<double> heights;
  for (const size_t r : rows)
    for (const size_t c : columns) heights.push_back(contours.heights[r * contours.columns + c]);
  contours.heights = std::move(heights);
  contours.rows = rows.size();
  contours.columns = columns.size();
}

void thin(Boxes& boxes, size_t most) {
  size_t left = most * 3 / 4;
  for (BoxRow& row : boxes.rows) {
    keep_first(row.boxes, left);
    left -= row.boxes.size();
  }
  std::erase_if(boxes.rows, [](const BoxRow& row) { return row.boxes.empty() && row.word.empty(); });
  keep_first(boxes.rows, most);
  const auto gone = [&](const BoxPlace& place) {
    return place.row >= boxes.rows.size() || place.box >= boxes.rows[place.row].boxes.size();
  };
  std::erase_if(boxes.links, [&](const BoxLink& link) { return gone(link.from) || gone(link.to); });
  keep_first(boxes.links, most / 4);
}

void thin(Lanes& lanes, size_t most) {
  keep_first(lanes.lanes, most / 4);
  const auto gone = [&](size_t lane) { return lane >= lanes.lanes.size(); };
  std::erase_if(lanes.items, [&](const LaneItem& item) { return gone(item.lane); });
  std::erase_if(lanes.arrows,
                [&](const LaneArrow& arrow) { return gone(arrow.from_lane) || gone(arrow.to_lane); });
  keep_first(lanes.arrows, most / 4);
  const size_t items = most / 2;
  if (lanes.items.size() <= items) return;
  std::vector<size_t> order(lanes.items.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto length = [&](size_t i) {
    const LaneItem& item = lanes.items[i];
    return std::isnan(item.to) ? HUGE_VAL : item.to - item.from;
  };
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return length(a) > length(b); });
  keep_first(order, items);
  std::ranges::sort(order);
  std::vector<LaneItem> kept;
  for (const size_t i : order) kept.push_back(lanes.items[i]);
  lanes.items = std::move(kept);
}

void thin(Graph& graph, size_t most) {
  keep_first(graph.nodes, most / 2);
  std::erase_if(graph.edges, [&](const Edge& edge) {
    return edge.from >= graph.nodes.size() || edge.to >= graph.nodes.size();
  });
  keep_first(graph.edges, most / 2);
}

void thin(Listing& listing, size_t most) {
  const size_t size = listing.lines.size(), current = listing.current.value_or(0);
  const size_t first = std::min(current - std::min(current, most / 2), size - std::min(size, most));
  listing.lines.erase(listing.lines.begin(), listing.lines.begin() + std::ptrdiff_t(first));
  keep_first(listing.lines, most);
  if (listing.current) listing.current = current - first;
}

void thin(Table& table, size_t most) {
  keep_first(table.rows, most / std::max<size_t>(1, table.columns.size()));
  std::erase_if(table.lit, [&](size_t lit) { return lit >= table.rows.size(); });
}

Thinned thinned(Value value, size_t most) {
  const size_t all = points(value);
  if (all <= most) return {std::move(value), 0};
  std::visit([&](auto& kind) { thin(kind, most); }, value);
  const size_t kept = points(value);
  return {std::move(value), all - kept};
}

}  // namespace ringside::figure
