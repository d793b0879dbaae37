#include <memory>

#include "memory_passes.h"
#include "norm_passes.h"
#include "own_norm_passes.h"

namespace ringside {

NormPasses norm_passes(const std::string& norm, int64_t rows, int64_t width, int64_t times) {
  struct Memory {
    Memory(int64_t cells, int64_t features, int64_t positions)
        : x(cells, 1),
          dy(cells, 1),
          y(cells, 1),
          dx(cells, 1),
          weight(features, 1),
          bias(features, 1),
          dw(features, 1),
          db(features, 1),
          mean(static_cast<size_t>(positions)),
          scale(mean) {}
    Floats x, dy, y, dx, weight, bias, dw, db;
    std::vector<double> mean, scale;
  };
  const auto memory = std::make_shared<Memory>(rows * width, width, rows);
  return {.own =
              [=] {
                Memory& m = *memory;
                for (int64_t i = 0; i < times; ++i)
                  run_own_norm(norm, {rows, width},
                               {m.x.data(), m.weight.data(), m.bias.data(), m.dy.data(), m.y.data(),
                                m.dx.data(), m.dw.data(), m.db.data(), m.mean.data(), m.scale.data()});
              },
          .torch = {}};
}

}  // namespace ringside
