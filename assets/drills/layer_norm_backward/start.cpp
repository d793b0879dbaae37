// The backward pass of layer norm. Forward, of each of M rows of H features:
//   mean = sum(x) / H                     var = sum((x - mean)^2) / H
//   s = 1 / sqrt(var + eps)               u = (x - mean) s, y = w u + b
// x (M, H) and w (H) are as in forward, dy (M, H) is the gradient of y. Returns
// the gradients dx (M, H), dw (H), db (H). mean and s depend on x too, which
// gives dx two terms beside s g, where g = w dy. One has the mean of g, the
// other u times the mean of g u, over the features of the row.
// Ba, Kiros, Hinton 2016, arXiv:1607.06450.
#include <tuple>
#include <vector>

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

std::tuple<Matrix, Vector, Vector> layer_norm_backward(const Matrix& x,
                                                       const Vector& w,
                                                       const Matrix& dy,
                                                       double eps) {
  return {};
}
