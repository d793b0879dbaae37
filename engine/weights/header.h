// The JSON in front of a safetensors file, read piece by piece: memory follows what is kept of it.
#pragma once

#include <deque>
#include <span>
#include <string_view>

#include "ringside/weights/safetensors.h"

namespace ringside::inline weights {

struct WeightHeader {
  std::deque<WeightTensor> tensors;  // that lie in `data`
  WeightNotes notes;
};

// JsonRejected where it is of another form, or a tensor lies outside the data, has another size than its
// shape, or a note's name stands twice. Tensors are not compared with each other here.
WeightHeader read_weight_header(std::string_view json, std::span<const std::byte> data);

// What a tensor of that shape takes; JsonRejected where that is no whole number of bytes, or past 2^63.
int64_t weight_bytes(WeightType type, std::span<const int64_t> shape);

}  // namespace ringside::inline weights
