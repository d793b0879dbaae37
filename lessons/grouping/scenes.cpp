// The generated scenes, and how well groups fit their shapes.
#include <numeric>

#include "ringside/base/random.h"
#include "ringside/libtorch/numbers.h"
#include "scenes.h"

namespace ringside::lessons::grouping {
namespace {

constexpr double kNoise = 0.1;
// Of each kind, (4, 3): each adds up to 0, while light adds the same to all three.
constexpr double kColourOf[kKinds][kColours] = {
    {-0.2, -0.2, 0.4}, {0.43, -0.22, -0.21}, {-0.2, 0.4, -0.2}, {0.22, 0.12, -0.34}};

bool covers(int64_t kind, double x, double y) {  // from the shape's centre, in twelfths of the side
  if (kind == 1) return x * x + y * y <= 3.2 * 3.2;
  if (kind == 2) return std::abs(x) < 3 && std::abs(y) < 3;
  return std::abs(y) < 3 && std::abs(x) <= (y + 3) / 2 + 0.6;
}

// Three of the four quarters have a shape each.
std::vector<int64_t> draw_kinds(int64_t side, RandomStream& stream, uint64_t seed) {
  const std::vector<int64_t> quarters = permutation(4, RandomStream(seed, "quarters", stream.next()));
  std::vector<int64_t> kinds(size_t(side * side), 0);
  const double step = 12.0 / double(side);
  for (int64_t kind = 1; kind < kKinds; ++kind) {
    const double cx = 2.5 + 6 * double(quarters[size_t(kind)] % 2) + stream.uniform(),
                 cy = 2.5 + 6 * double(quarters[size_t(kind)] / 2) + stream.uniform();
    for (int64_t token = 0; token < side * side; ++token)
      if (covers(kind, double(token % side) * step - cx, double(token / side) * step - cy))
        kinds[size_t(token)] = kind;
  }
  return kinds;
}

// Of the kinds, (N, 3).
at::Tensor colours_of(const std::vector<int64_t>& kinds) {
  const at::Tensor each =
      at::from_blob(const_cast<double*>(&kColourOf[0][0]), {kKinds, kColours}, at::kDouble);
  return each.to(at::kFloat).index_select(0, at::tensor(kinds));
}

// With noise, and a light that falls across the scene in a direction of its own. (N, 3)
at::Tensor draw_view(const at::Tensor& colours, int64_t side, double light, RandomStream& stream) {
  const at::Tensor view = colours.clone();
  double dx = 0, dy = 0, length = 0;
  for (; length < 0.1 || length > 1; length = std::hypot(dx, dy))
    dx = 2 * stream.uniform() - 1, dy = 2 * stream.uniform() - 1;
  const double half = double(side - 1) / 2;
  auto values = view.accessor<float, 2>();
  for (int64_t token = 0; token < side * side; ++token) {
    const double x = double(token % side) / half - 1, y = double(token / side) / half - 1;
    for (int64_t colour = 0; colour < kColours; ++colour)
      values[token][colour] += float(light * (x * dx + y * dy) / length + kNoise * stream.normal());
  }
  return view;
}

}  // namespace

Scenes Scenes::draw(int64_t count, int64_t side, double light, uint64_t seed) {
  Scenes scenes;
  std::vector<at::Tensor> first, second, colours;
  for (int64_t i = 0; i < count; ++i) {
    RandomStream stream(seed, "scene", uint64_t(i));
    scenes.kinds.push_back(draw_kinds(side, stream, seed));
    colours.push_back(colours_of(scenes.kinds.back()));
    for (std::vector<at::Tensor>* views : {&first, &second})
      views->push_back(draw_view(colours.back(), side, light, stream));
  }
  scenes.first = at::stack(first), scenes.second = at::stack(second), scenes.colours = at::stack(colours);
  return scenes;
}

Fit fit(const std::vector<int64_t>& groups, const std::vector<int64_t>& kinds) {
  const auto most = size_t(std::max(*std::ranges::max_element(groups) + 1, kKinds));
  std::vector tokens(most, std::vector<int64_t>(most));
  for (size_t j = 0; j < groups.size(); ++j) ++tokens[size_t(groups[j])][size_t(kinds[j])];
  std::vector<int64_t> names(most);
  std::iota(names.begin(), names.end(), 0);
  Fit best{-1, {}};
  do {
    int64_t right = 0;
    for (size_t i = 0; i < names.size(); ++i) right += tokens[i][size_t(names[i])];
    const double accuracy = double(right) / double(groups.size());
    if (accuracy > best.accuracy) best = {accuracy, names};
  } while (std::ranges::next_permutation(names).found);
  return best;
}

std::vector<int64_t> k_means(const at::Tensor& tokens, int64_t k, uint64_t seed) {
  at::Tensor best;
  double least = INFINITY;
  for (uint64_t start = 0; start < 10; ++start) {
    const auto order = permutation(tokens.size(0), RandomStream(seed, "k-means", start));
    at::Tensor centres =
        tokens.index_select(0, at::tensor(std::vector<int64_t>(order.begin(), order.begin() + k)));
    at::Tensor nearest;
    for (int round = 0; round < 30; ++round) {
      nearest = at::cdist(tokens, centres).argmin(1);                    // (N)
      const at::Tensor member = at::one_hot(nearest, k).to(at::kFloat);  // (N, k)
      const at::Tensor count = member.sum(0).unsqueeze(1);
      centres = at::where(count.gt(0), at::matmul(member.t(), tokens) / count.clamp_min(1), centres);
    }
    const double distance = (tokens - centres.index_select(0, nearest)).pow(2).sum().item<double>();
    if (distance < least) least = distance, best = nearest;
  }
  return {best.data_ptr<int64_t>(), best.data_ptr<int64_t>() + best.numel()};
}

}  // namespace ringside::lessons::grouping
