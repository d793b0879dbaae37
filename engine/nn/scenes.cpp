// The scenes of a SceneTask.
#include <fmt/format.h>

#include <cmath>

#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/nn/scene_task.h"

namespace ringside::inline nn {
namespace {

constexpr double kSceneNoise = 0.1;
constexpr float kColourOf[Scenes::kKinds][Scenes::kColours] = {
    {-0.2F, -0.2F, 0.4F}, {0.43F, -0.22F, -0.21F}, {-0.2F, 0.4F, -0.2F}, {0.22F, 0.12F, -0.34F}};

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
  for (int64_t kind = 1; kind < Scenes::kKinds; ++kind) {
    const double cx = 2.5 + 6 * double(quarters[size_t(kind)] % 2) + stream.uniform(),
                 cy = 2.5 + 6 * double(quarters[size_t(kind)] / 2) + stream.uniform();
    for (int64_t token = 0; token < side * side; ++token)
      if (covers(kind, double(token % side) * step - cx, double(token / side) * step - cy))
        kinds[size_t(token)] = kind;
  }
  return kinds;
}

at::Tensor colours_of(const std::vector<int64_t>& kinds) {  // (N, 3)
  std::vector<float> colours;
  for (const int64_t kind : kinds)
    colours.insert(colours.end(), std::begin(kColourOf[kind]), std::end(kColourOf[kind]));
  return at::tensor(colours).view({-1, Scenes::kColours});
}

at::Tensor draw_view(const at::Tensor& colours, int64_t side, double light, RandomStream& stream) {  // (N, 3)
  const at::Tensor view = colours.clone();
  double dx = 0, dy = 0, length = 0;
  for (; length < 0.1 || length > 1; length = std::hypot(dx, dy))
    dx = 2 * stream.uniform() - 1, dy = 2 * stream.uniform() - 1;
  const double half = double(side - 1) / 2;
  auto values = view.accessor<float, 2>();
  for (int64_t token = 0; token < side * side; ++token) {
    const double x = double(token % side) / half - 1, y = double(token / side) / half - 1;
    for (int64_t colour = 0; colour < Scenes::kColours; ++colour)
      values[token][colour] += float(light * (x * dx + y * dy) / length + kSceneNoise * stream.normal());
  }
  return view;
}

}  // namespace

Scenes Scenes::draw(int64_t count, int64_t side, double light, uint64_t seed) {
  if (side < 8) throw UsageError(fmt::format("scenes of {0} x {0} tokens: the side is 8 at least", side));
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

Scenes Scenes::from(int64_t scene) const {
  const auto behind = [&](const at::Tensor& of) { return of.slice(0, scene); };
  return {behind(first), behind(second), behind(colours), {kinds.begin() + scene, kinds.end()}};
}

}  // namespace ringside::inline nn
