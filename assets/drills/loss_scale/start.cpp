// Dynamic loss scaling of fp16 training. The loss is multiplied by a scale, so
// that small gradients do not become 0. With too large a scale gradients
// overflow.
//   gradients  of each step, already multiplied by the scale
//   scale      of the first step
//   interval   good steps in a row after which the scale grows
// Returns the scale after each step. A step with a gradient that is inf or NaN
// is skipped, and halves the scale; after `interval` good steps in a row it
// doubles. Both begin the count again.
// Micikevicius et al. 2018, arXiv:1710.03740; GradScaler of PyTorch.
#include <vector>

std::vector<double> loss_scale(
    const std::vector<std::vector<double>>& gradients, double scale,
    int interval) {
  return {};
}
