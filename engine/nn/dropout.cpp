#include "ringside/nn/dropout.h"

#include <cmath>

#include "ringside/base/check.h"
#include "ringside/base/random.h"

namespace ringside::inline nn {

DropoutDraws dropout_draws(uint64_t seed, int64_t micro_step, int64_t first_row) {
  return {mix_seed(seed, "dropout", uint64_t(micro_step)), first_row};
}

at::Tensor dropped_out(const at::Tensor& x, double p, const DropoutDraws& draws, int64_t site,
                       int64_t first_token) {
  RINGSIDE_CHECK_EQ(x.dim(), 3);
  const int64_t B = x.size(0), T = x.size(1), H = x.size(2);
  const auto bound = uint64_t(std::ldexp(p, 32));
  const uint64_t of_site = mix_seed(draws.key, "site", uint64_t(site));
  const at::Tensor zero = at::empty({B, T, H}, at::kBool);
  bool* out = zero.data_ptr<bool>();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t < T; ++t) {
      const auto row = uint64_t(draws.first_row + b), token = uint64_t(first_token + t);
      RandomStream stream(of_site, "token", (row << 32) | token);
      for (int64_t h = 0; h < H; ++h) *out++ = (stream.next() >> 32) < bound;
    }
  return x.masked_fill(zero.to(x.device()), 0).mul(1 / (1 - p));
}

}  // namespace ringside::inline nn
