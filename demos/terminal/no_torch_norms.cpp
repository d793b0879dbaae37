#include <memory>

#include "memory_passes.h"
#include "norm_passes.h"
#include "own_norm_passes.h"

namespace ringside {

NormSides norm_sides(const std::string& norm, int64_t rows, int64_t width, int64_t times) {
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
    NormBuffers buffers() {
      return {x.data(),  weight.data(), bias.data(), dy.data(),   y.data(),
              dx.data(), dw.data(),     db.data(),   mean.data(), scale.data()};
    }
  };
  const auto memory = std::make_shared<Memory>(rows * width, width, rows);
  run_own_forward(norm, {rows, width}, memory->buffers());  // what backward needs of it
  const auto several = [=](auto pass) {
    return [=] {
      for (int64_t i = 0; i < times; ++i) pass(norm, norms::Rows{rows, width}, memory->buffers());
    };
  };
  return {.own = {several(run_own_forward), several(run_own_backward)}, .torch = {}};
}

}  // namespace ringside
