#include "ringside/norms/rms_norm.h"

#include "row_norm.h"

namespace ringside::norms {

template <typename Real>
void run(const RmsNormForward<Real>& call) {
  run_forward(call);
}
template <typename Real>
void run(const RmsNormBackward<Real>& call) {
  run_backward(call);
}

template void run(const RmsNormForward<float>& call);
template void run(const RmsNormForward<double>& call);
template void run(const RmsNormBackward<float>& call);
template void run(const RmsNormBackward<double>& call);

}  // namespace ringside::norms
