#include <algorithm>
#include <map>

#include "memory_passes.h"
#include "torch_loops.h"

namespace ringside {
namespace {

TorchLoops known;

std::shared_ptr<float> kept_output(int64_t count) {
  static std::multimap<int64_t, std::shared_ptr<Floats>> kept;
  const auto [begin, end] = kept.equal_range(count);
  auto free = std::find_if(begin, end, [](const auto& one) { return one.second.use_count() == 1; });
  if (free == end) free = kept.emplace(count, std::make_shared<Floats>(count, 1.0F));
  return {free->second, free->second->data()};
}

}  // namespace

void set_torch_loops(const TorchLoops& loops) { known = loops; }

std::function<void()> torch_loop(const std::string& optimizer, int64_t count, int64_t tensor, int threads) {
  return known.loop != nullptr ? known.loop(optimizer, count, tensor, threads) : nullptr;
}

NormPasses torch_norm(const std::string& norm, int64_t rows, int64_t width) {
  return known.norm != nullptr ? known.norm(norm, rows, width) : NormPasses();
}

std::shared_ptr<float> pass_output(int64_t count) {
  return known.output != nullptr ? known.output(count) : kept_output(count);
}

}  // namespace ringside
