#include "ringside/norms/layer_norm.h"

#include "row_norm.h"

namespace ringside::norms {

template void run(const LayerNormForward<float>& call);
template void run(const LayerNormForward<double>& call);
template void run(const LayerNormBackward<float>& call);
template void run(const LayerNormBackward<double>& call);

}  // namespace ringside::norms
