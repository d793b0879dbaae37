// A tensor of a file in fp32.
#pragma once

#include <vector>

#include "ringside/weights/safetensors.h"

namespace ringside::inline pretrained {

// Of F32, F16 and BF16; InputError naming the tensor where it is of another type.
std::vector<float> widened_values(const WeightTensor& tensor);

}  // namespace ringside::inline pretrained
