// What the lesson records, and how it is read. Each call that is looked at is a section of its own, with a
// span for each station; each size whose times are taken is one too, with timings (lesson/timings.h).
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/timings.h"

namespace ringside::dispatch_lesson {

// Where a call passes, in order; recorded as its span begins.
struct Station {
  static constexpr char kTable[] = "stations";
  std::string name, detail;
};
void visit_fields(RowOf<Station> auto& row, auto&& visit) {
  visit(Field{"station", "an operator, a key, or what asks for memory"}, row.name);
  visit(Field{"detail", "where its kernel was registered; what it computes in"}, row.detail);
}
// A table too: the functions between the call and the first allocation, the outermost first.
inline constexpr char kFrames[] = "frames";

// What there is to say of a call as a whole.
struct Call {
  static constexpr char kTable[] = "calls";
  std::string name, first_kernel, keys, operators, memory, result, node, iterator;
  int64_t called = 0;
};
void visit_fields(RowOf<Call> auto& row, auto&& visit) {
  visit(Field{"call", "its name among the scenarios"}, row.name);
  visit(Field{"first kernel", "the key whose kernel is entered first"}, row.first_kernel);
  visit(Field{"keys", "of the call's set, the highest first"}, row.keys);
  visit(Field{"operators", "that are called, itself among them"}, row.called);
  visit(Field{"names", "of these, as RecordFunction tells"}, row.operators);
  visit(Field{"memory", "each allocation"}, row.memory);
  visit(Field{"result", "its dtype"}, row.result);
  visit(Field{"node", "the result's grad_fn"}, row.node);
  visit(Field{"shape: strides", "that TensorIterator computes with"}, row.iterator);
}

// Ways into a call. Each begins further down: what it leaves out is what the one before it does.
inline constexpr char kPython[] = "a + b in Python", kCpp[] = "a + b in C++",
                      kAutograd[] = "from AutogradCPU", kCpu[] = "from CPU", kOut[] = "from CPU, out= given",
                      kLoop[] = "a loop over floats";
inline constexpr char kWithGrad[] = "requires_grad", kFallsThrough[] = "falls through";
inline constexpr char kWords[] = "words", kOneElement[] = "1 element";  // an attribute, a section

void look_at(const std::string& call, Recorder& recorder);
std::vector<Way> ways(int64_t elements);

std::optional<Call> call_of(const Trace& trace, const std::string& name);

std::vector<FigureSpec> figures();
std::vector<ClaimSpec> claims();
std::vector<PredictionSpec> questions();

}  // namespace ringside::dispatch_lesson
