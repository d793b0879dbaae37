// What the run records of each pair of tensors.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::shared_memory {

struct CaseRow {
  static constexpr Columns kTable{"cases", "pair",       "a",           "b",
                                  "b - a", "one memory", "one storage", "shared [bytes]"};
  std::string name, a, b;    // of a and b: sizes, strides and offset
  std::string apart;         // data_ptr of b less that of a
  bool one_memory = false;   // both have the same cells
  bool one_storage = false;  // both hold one storage object
  int64_t shared = 0;        // what both address
};

// A cell of a tensor's memory, from the first to the last. Of a memory that both have, each has all cells.
struct CellRow {
  static constexpr Columns kTable{"cells", "pair", "tensor", "elements"};
  std::string name, tensor;  // a or b
  std::string elements;      // of the tensor that lie there: 0, or 0 1 2; empty: none
};

struct AnswerRow {
  static constexpr Columns kTable{"answers", "pair", "test", "asked", "says", "truth"};
  std::string name, test;
  bool asked = false;                // no: it needs a tensor that is gone
  bool says = false, truth = false;  // that they share memory, whether they do
  bool missed() const { return asked && truth && !says; }
  bool false_alarm() const { return asked && says && !truth; }
  bool wrong() const { return missed() || false_alarm(); }
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::shared_memory
