// What the lesson records, and how it is read. Each call that is looked at is a section of its own, with a
// span for each station; each size whose times are taken is one too, with the ns of a call as scalars of the
// way.
#pragma once

#include <string>
#include <vector>

#include "ringside/base/ways.h"
#include "ringside/lesson/lesson.h"
#include "ringside/trace/rows.h"

namespace ringside::dispatch_lesson {

// What was seen of a call, in order. Kinds: "key", of the call's set, the highest first, with its kernel;
// "operator", as RecordFunction tells; "memory", an allocation; "frame", a function between the call and the
// first allocation, with its library; "result", its dtype; "node", its grad_fn; "iterator", what it computes
// in.
struct Seen {
  static constexpr char kTable[] = "seen";
  std::string kind, name, detail;
};
void visit_fields(RowOf<Seen> auto& row, auto&& visit) {
  visit(Field{"kind", "of what was seen"}, row.kind);
  visit(Field{"name", "of the key, operator, function, dtype"}, row.name);
  visit(Field{"detail", "its kernel, its library, its strides"}, row.detail);
}

// Ways into a call. Each begins further down: what it leaves out is what the one before it does.
inline constexpr char kPython[] = "a + b in Python", kCpp[] = "a + b in C++",
                      kAutograd[] = "from AutogradCPU", kCpu[] = "from CPU", kOut[] = "from CPU, out= given",
                      kLoop[] = "a loop over floats";
inline constexpr char kFallsThrough[] = "falls through", kBelow[] = "below autograd";
inline constexpr char kWords[] = "words", kElements[] = "elements", kNoPython[] = "no python";  // attributes

void look_at(const std::string& call, Recorder& recorder);
std::vector<Way> ways(int64_t elements);

// The same of one call, in words: "aten::add, aten::to"; "" where it was not made.
struct Facts {
  std::string keys, first_kernel, operators, memory, frames, result, node, iterator;
  int64_t called = 0, allocations = 0;
  bool below_autograd = false;  // at the first allocation: its keys were excluded
};
Facts facts(const Trace& trace, std::string_view call);
std::vector<const SectionView*> sections_with(const Trace& trace, const char* attribute);
std::vector<double> times(const Trace& trace, const SectionView& size, std::string_view way);  // one a round

std::vector<FigureSpec> figures();
std::vector<ClaimSpec> claims();
std::vector<PredictionSpec> questions();

}  // namespace ringside::dispatch_lesson
