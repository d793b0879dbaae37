#include "ringside/libtorch/overlap.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ringside::inline kit {
namespace {

// i * step with 0 <= i <= most. Steps are positive.
struct Loop {
  int64_t step, most;
};

// Whether loops[from ...], in falling order of their steps, have a sum in [low, high].
bool reaches(const std::vector<Loop>& loops, size_t from, int64_t low, int64_t high) {
  if (low <= 0 && 0 <= high) return true;
  if (from == loops.size() || high < 0) return false;
  int64_t others = 0, common = loops[from].step;  // every sum is a multiple of it
  for (size_t i = from + 1; i < loops.size(); ++i) {
    others += loops[i].step * loops[i].most;
    common = std::gcd(common, loops[i].step);
  }
  if (high / common * common < low) return false;
  const auto [step, most] = loops[from];
  const int64_t least = std::max<int64_t>(0, (low - others + step - 1) / step);
  for (int64_t i = least; i <= most && i * step <= high; ++i)
    if (reaches(loops, from + 1, low - i * step, high - i * step)) return true;
  return false;
}

}  // namespace

bool share_bytes(const at::Tensor& a, const at::Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0) return false;
  std::vector<Loop> loops;
  int64_t start = reinterpret_cast<intptr_t>(a.data_ptr()) - reinterpret_cast<intptr_t>(b.data_ptr());
  for (const bool of_b : {false, true}) {
    const at::Tensor& tensor = of_b ? b : a;
    for (int64_t d = 0; d < tensor.dim(); ++d) {
      const Loop loop{tensor.stride(d) * tensor.element_size(), tensor.size(d) - 1};
      if (of_b) start -= loop.step * loop.most;  // j is counted from its end, so that it is added as well
      if (loop.step > 0) loops.push_back(loop);
    }
  }
  std::ranges::sort(loops, [](const Loop& x, const Loop& y) { return x.step > y.step; });
  return reaches(loops, 0, 1 - a.element_size() - start, b.element_size() - 1 - start);
}

}  // namespace ringside::inline kit
