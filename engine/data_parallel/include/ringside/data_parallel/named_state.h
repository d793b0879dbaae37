// The state of a run by name: what a rank holds, as windows of whole tensors. A checkpoint, a change of
// stage, of the mesh and of the number of ranks are all the same: pieces of one run go in, pieces of another
// are filled.
//
// Beside the two kinds below there are those that the optimizer declares for its state, by their names. A
// model's buffers are apart (nn/parameters.h): every rank has them whole.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ringside/planner/parts.h"
#include "ringside/trace/events.h"

namespace ringside::inline data_parallel {

inline constexpr char kParameterState[] = "parameter";
inline constexpr char kMasterState[] = "master";  // the fp32 copy of a bf16 parameter

struct StatePiece {
  std::string name;            // the parameter's
  std::string kind;            // which of its states
  std::vector<int64_t> shape;  // of the whole tensor
  int64_t begin = 0;  // the first element of the piece, in the flat whole tensor, or in the flat part
  int64_t count = 0;
  at::Tensor data;  // (count): the rank's own memory, not a copy
  const Part* part =
      nullptr;  // where the rank has a part of the tensor (planner/parts.h); null: it has all of it

  // Runs of the piece that are neighbours in the whole tensor; `at`: from the piece's beginning.
  void for_each_run(const std::function<void(int64_t at, int64_t in_whole, int64_t count)>& take) const;
};

// Whole tensors, of the pieces of any number of ranks, of any cut. Pieces of one tensor may overlap; they
// then hold the same values.
class NamedState {
 public:
  // Copies the piece. InputError where pieces of one tensor differ in shape or element type.
  void add(const StatePiece& piece);
  // Copies what was added into piece.data. InputError where elements are missing, or the shape or the element
  // type is another: the message names the tensor and what is wrong.
  void fill(const StatePiece& piece) const;

 private:
  struct Whole {
    std::vector<int64_t> shape;
    Dtype dtype = Dtype::kFloat32;
    std::vector<char> bytes;
    std::map<int64_t, int64_t> there;  // elements that were added: begin, end; none touches the next
    void cover(int64_t begin, int64_t end);
    int64_t first_missing(int64_t begin, int64_t end) const;  // end: none is
  };
  std::map<std::pair<std::string, std::string>, Whole> tensors_;  // by name and kind
};

}  // namespace ringside::inline data_parallel
