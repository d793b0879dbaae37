#include "ringside/norms/rms_norm.h"

#include "row_norm.h"

namespace ringside::norms {

template void run(const RmsNormForward<float>& call);
template void run(const RmsNormForward<double>& call);
template void run(const RmsNormBackward<float>& call);
template void run(const RmsNormBackward<double>& call);

}  // namespace ringside::norms
