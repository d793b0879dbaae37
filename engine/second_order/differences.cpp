#include "ringside/second_order/differences.h"

#include <c10/core/GradMode.h>

#include "ringside/base/check.h"
#include "ringside/second_order/derivatives.h"

namespace ringside::inline second_order {

at::Tensor hessian_times_by_differences(const std::function<at::Tensor()>& loss,
                                        const std::vector<at::Tensor>& parameters, const at::Tensor& v,
                                        double h) {
  const double length = v.norm().item<double>();
  RINGSIDE_CHECK(length > 0 && h > 0, "a direction and a step along it are wanted");
  std::vector<at::Tensor> before;
  for (const at::Tensor& parameter : parameters) before.push_back(parameter.detach().clone());
  struct PutBack {  // also where loss() throws
    ~PutBack() {
      const at::NoGradGuard no_graph;
      for (size_t i = 0; i < parameters.size(); ++i) at::Tensor(parameters[i]).copy_(before[i]);
    }
    const std::vector<at::Tensor>&parameters, &before;
  };
  const auto gradient_at = [&](double along) {
    const PutBack put_back{parameters, before};
    add_direction(parameters, v, along / length);
    return require_finite(gradient_of(loss(), parameters), "the gradient");
  };
  const at::Tensor ahead = gradient_at(h), behind = gradient_at(-h);
  return (ahead - behind) * (length / (2 * h));
}

}  // namespace ringside::inline second_order
