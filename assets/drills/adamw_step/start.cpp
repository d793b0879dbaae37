// One step of AdamW on n weights. Weight decay is decoupled: it acts on the
// weight, as lr lambda w, and never enters g, m or v.
//   w, m, v       (n) weights, means of g and of its square: change them
//   g             (n) gradient
//   lr            learning rate; beta1, beta2: what m and v keep of themselves
//   eps           added to the root; weight_decay: lambda
//   t             this step, the first is 1
// m and v begin at 0 and are too small at first: the update divides them by
// 1 - beta^t (bias correction).
// Loshchilov, Hutter 2017, arXiv:1711.05101; lr before lambda as in PyTorch.
#include <vector>

void adamw_step(std::vector<double>& w, std::vector<double>& m,
                std::vector<double>& v, const std::vector<double>& g, double lr,
                double beta1, double beta2, double eps, double weight_decay,
                int t) {
}
