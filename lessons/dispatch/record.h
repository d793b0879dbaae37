// What the lesson records, and how it is read. Each call that is looked at is a section of its own, with a
// span for each station; each size whose times are taken is one too, with timings (lesson/timings.h).
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::dispatch {

// Where a call passes, in order; recorded as its span begins.
struct Station {
  static constexpr Columns kTable{"stations", "station", "detail"};
  std::string name;    // an operator, a key, or what asks for memory
  std::string detail;  // where its kernel was registered; what it computes in
};
// A table too: the functions between the call and the first allocation, the outermost first.
inline constexpr char kFrames[] = "frames";

// What there is to say of a call as a whole.
struct Call {
  static constexpr Columns kTable{"calls", "call",   "first kernel", "keys", "masked",        "operators",
                                  "names", "memory", "result",       "node", "shape: strides"};
  std::string name;          // among the scenarios
  std::string first_kernel;  // the key whose kernel is entered first
  std::string keys;          // of the call's set, the highest first
  std::string masked;        // those of them that have no kernel for this operator
  int64_t called = 0;        // operators, itself among them
  std::string operators;     // their names, as RecordFunction tells
  std::string memory;        // each allocation
  std::string result, node;  // its dtype, its grad_fn
  std::string iterator;      // shape and strides that TensorIterator computes with
};

// Ways into a call. Each begins further down: what it leaves out is what the one before it does.
inline constexpr char kPython[] = "a + b in Python", kCpp[] = "a + b in C++",
                      kAutograd[] = "from AutogradCPU", kCpu[] = "from CPU", kOut[] = "from CPU, out= given",
                      kLoop[] = "a loop over floats";
inline constexpr char kWithGrad[] = "requires_grad", kLookups[] = "both look-ups in the table";
inline constexpr char kWords[] = "words", kOneElement[] = "1 element";  // an attribute, a section

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::dispatch
