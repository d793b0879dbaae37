#include "surface.h"

#include "ringside/lesson/tr.h"

namespace ringside::lessons::optimizers {

const std::vector<Surface>& surfaces() {
  static const std::vector<Surface> all = {
      {kSaddle,
       tr("flat at 0, up along x, down along y; two minima"),
       {-1, -1.5},
       {1, 1.5},
       {0.2, 0.4},
       0,
       -0.25},
      {kValley, tr("50 times as steep along y as along x"), {-2.4, -1}, {2.4, 1}, {-2, 0.6}},
      {kTurned, tr("the valley, turned by 45 degrees"), {-2.4, -2.4}, {2.4, 2.4}, {-2, -0.8}},
      {kRosenbrock, tr("a curved valley; minimum at 1, 1"), {-2, -1}, {2, 3}, {-1.2, 1}, 0, 0, 4},
      {kNoisy, tr("steeper along y; gradients have noise"), {-2.4, -1.6}, {2.4, 1.6}, {-2, 1}, 1},
      {kFlat, tr("a line of minima: a singular Hessian"), {-2, -2}, {2, 2}, {-0.5, 1.5}}};
  return all;
}

}  // namespace ringside::lessons::optimizers
