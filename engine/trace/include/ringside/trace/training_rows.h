// What a training records of itself as rows. Names of units and tensors are those of its memory events.
#pragma once

#include "ringside/trace/rows.h"

namespace ringside {

// What a rank holds of one tensor after the last step: where hashes are equal, bytes are.
struct TensorHash {
  static constexpr char kTable[] = "tensor hashes";
  std::string category, tensor;
  int64_t step = 0;
  std::string hash;
};
void visit_fields(RowOf<TensorHash> auto& row, auto&& visit) {
  visit(Field{"category", "of memory"}, row.category);
  visit(Field{"tensor", "a bucket, or a buffer"}, row.tensor);
  visit(Field{"step", "the last that was done"}, row.step);
  visit(Field{"hash", "SHA-256 of its live bytes, 16 digits"}, row.hash);
}

// A unit's whole parameters on a rank of ZeRO-3: asked for, or dropped.
struct UnitGather {
  static constexpr char kTable[] = "unit gathers";
  std::string unit;
  int64_t step = 0;
  bool dropped = false;
};
void visit_fields(RowOf<UnitGather> auto& row, auto&& visit) {
  visit(Field{"unit", "a layer"}, row.unit);
  visit(Field{"step", "-1 before the first"}, row.step);
  visit(Field{"dropped", "no: its gather begins; yes: its bytes are free again"}, row.dropped);
}

// A parameter that the optimizer needs whole: the other ranks send their parts of it to its owner, which
// records the row.
struct OwnedMatrix {
  static constexpr char kTable[] = "owned matrices";
  std::string parameter;
  int64_t owner = 0;
  int64_t elements = 0;
  double work = 0;
};
void visit_fields(RowOf<OwnedMatrix> auto& row, auto&& visit) {
  visit(Field{"parameter", "its name"}, row.parameter);
  visit(Field{"owner", "a rank"}, row.owner);
  visit(Field{"elements", "of all ranks"}, row.elements);
  visit(Field{"work", "multiplications in a step"}, row.work);
}

}  // namespace ringside
