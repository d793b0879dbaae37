// The kernels as C functions, for ctypes. Each returns null, or what went wrong; that text stays until the
// next call.
#include <string>

#include "ringside/base/error.h"
#include "ringside/kernels/norms.h"
#include "ringside/kernels/sums.h"
#include "ringside/kernels/update.h"
#include "ringside/optim/optimizer.h"

using namespace ringside;

namespace {

template <typename F>
const char* said(F f) {
  static std::string what;
  try {
    f();
    return nullptr;
  } catch (const std::exception& error) {
    what = error.what();
    return what.c_str();
  }
}

// Norm: a struct of norms/, made of what follows the rows.
template <typename Norm, typename... Rest>
const char* norm(int64_t rows, int64_t width, void* stream, Rest... rest) {
  return said([&] { kernels::run(Norm{{rows, width}, rest...}, stream); });
}

}  // namespace

extern "C" {

// Standard hyperparameters. second, rounded: or null.
const char* ringside_update(const char* name, int64_t count, float* weights, const void* gradient,
                            int is_bf16, uint16_t* rounded, float* first, float* second, double learning_rate,
                            int64_t step, void* stream) {
  return said([&] {
    const OptimizerSpec spec = make_optimizer({.name = name}).spec();
    Values values;
    for (const HyperparameterSpec& one : spec.hyperparameters) values[one.name] = one.standard;
    Elements e;
    e.count = count;
    e.weights = weights;
    e.gradient = gradient;
    e.gradient_dtype = is_bf16 != 0 ? Dtype::kBFloat16 : Dtype::kFloat32;
    e.rounded = rounded;
    e.state = spec.state.size() == 2 ? std::vector{first, second} : std::vector{first};
    kernels::update(name, e, values, {.learning_rate = learning_rate, .step = step}, stream);
  });
}

#define RINGSIDE_NORMS(suffix, Value)                                                                       \
  const char* ringside_layer_forward_##suffix(int64_t rows, int64_t width, double eps, const Value* x,      \
                                              const Value* w, const Value* b, Value* y, double* mean,       \
                                              double* scale, void* stream) {                                \
    return norm<norms::LayerNormForward<Value>>(rows, width, stream, eps, x, w, b, y, mean, scale);         \
  }                                                                                                         \
  const char* ringside_layer_backward_##suffix(int64_t rows, int64_t width, const Value* x, const Value* w, \
                                               const double* mean, const double* scale, const Value* dy,    \
                                               Value* dx, Value* dw, Value* db, void* stream) {             \
    return norm<norms::LayerNormBackward<Value>>(rows, width, stream, x, w, mean, scale, dy, dx, dw, db);   \
  }                                                                                                         \
  const char* ringside_rms_forward_##suffix(int64_t rows, int64_t width, double eps, const Value* x,        \
                                            const Value* w, Value* y, double* scale, void* stream) {        \
    return norm<norms::RmsNormForward<Value>>(rows, width, stream, eps, x, w, y, scale);                    \
  }                                                                                                         \
  const char* ringside_rms_backward_##suffix(int64_t rows, int64_t width, const Value* x, const Value* w,   \
                                             const double* scale, const Value* dy, Value* dx, Value* dw,    \
                                             void* stream) {                                                \
    return norm<norms::RmsNormBackward<Value>>(rows, width, stream, x, w, scale, dy, dx, dw);               \
  }
RINGSIDE_NORMS(fp32, float)
RINGSIDE_NORMS(bf16, uint16_t)

const char* ringside_ordered_sum(void* out, const void* const* inputs, int64_t ranks, int64_t count,
                                 int is_bf16, void* stream) {
  return said([&] {
    kernels::ordered_sum(out, std::vector<const void*>(inputs, inputs + ranks), count,
                         is_bf16 != 0 ? Dtype::kBFloat16 : Dtype::kFloat32, stream);
  });
}

const char* ringside_copy_all(const kernels::Copy* copies, int64_t count, void* stream) {
  return said([&] { kernels::copy_all({copies, copies + count}, stream); });
}

const char* ringside_add_squares(int64_t* limbs, const void* values, int64_t count, int is_bf16,
                                 void* stream) {
  return said([&] {
    kernels::add_squares(limbs, values, count, is_bf16 != 0 ? Dtype::kBFloat16 : Dtype::kFloat32, stream);
  });
}

}  // extern "C"
