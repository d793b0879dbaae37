#include <algorithm>
#include <map>

#include "memory_passes.h"
#include "norm_passes.h"
#include "torch_loops.h"

namespace ringside {

std::function<void()> torch_loop(const std::string&, int64_t, int64_t, int) { return {}; }

NormPasses torch_norm(const std::string&, int64_t, int64_t) { return {}; }

std::shared_ptr<float> pass_output(int64_t count) {
  static std::multimap<int64_t, std::shared_ptr<Floats>> kept;
  const auto [begin, end] = kept.equal_range(count);
  auto free = std::find_if(begin, end, [](const auto& one) { return one.second.use_count() == 1; });
  if (free == end) free = kept.emplace(count, std::make_shared<Floats>(count, 1.0F));
  return {free->second, free->second->data()};
}

}  // namespace ringside
