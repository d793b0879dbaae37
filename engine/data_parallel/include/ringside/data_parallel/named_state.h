// The state of a run by name: what a rank holds, as windows of whole tensors. A checkpoint, a change of stage
// and a change of the number of ranks are all the same: pieces of one run go in, pieces of another are
// filled.
//
// Beside the two kinds below there are those that the optimizer declares for its state, by their names. A
// model's buffers are apart (nn/buffers.h): every rank has them whole.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ringside/trace/events.h"

namespace ringside {

inline constexpr char kParameterState[] = "parameter";
inline constexpr char kMasterState[] = "master";  // the fp32 copy of a bf16 parameter

struct StatePiece {
  std::string name;            // the parameter's
  std::string kind;            // which of its states
  std::vector<int64_t> shape;  // of the whole tensor
  int64_t begin = 0;           // the first element of the piece, in the flat whole tensor
  int64_t count = 0;
  at::Tensor data;  // (count): the rank's own memory, not a copy
};

// Copies of pieces, from any number of ranks. Pieces of one tensor may overlap; they then hold the same
// values.
class NamedState {
 public:
  void add(const StatePiece& piece);
  // Copies what was added into piece.data. InputError where elements are missing, or the shape or the element
  // type is another: the message names the tensor and what is wrong.
  void fill(const StatePiece& piece) const;

 private:
  struct Copy {
    std::vector<int64_t> shape;
    int64_t begin = 0, count = 0;
    Dtype dtype = Dtype::kFloat32;
    std::vector<char> bytes;
  };
  std::map<std::pair<std::string, std::string>, std::vector<Copy>> copies_;  // by name and kind
};

}  // namespace ringside
