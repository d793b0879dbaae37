// What the lesson records, as rows of two tables, and how it is read. A section is one call of `kCalls`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ringside/base/run_control.h"
#include "ringside/lesson/lesson.h"
#include "ringside/trace/rows.h"

namespace ringside::dispatch_lesson {

// What was seen of a call, in order, and how long after its start. Kinds: "key", of the call's set, the
// highest first, with its kernel; "operator", told by RecordFunction; "memory", an allocation; "frame", a
// function between call and first allocation, with its library; "result" (dtype), "node" (grad_fn),
// "iterator".
struct Seen {
  static constexpr char kTable[] = "seen";
  std::string kind, name, detail;
};
void visit_fields(RowOf<Seen> auto& row, auto&& visit) {
  visit(Field{"kind", "of what was seen"}, row.kind);
  visit(Field{"name", "of the key, operator, function, dtype"}, row.name);
  visit(Field{"detail", "its kernel, its library, its strides"}, row.detail);
}

// ns of one call, the mean of some in a row. A way is a place to start from.
struct Timed {
  static constexpr char kTable[] = "timed";
  std::string way;
  int64_t elements = 0, round = 0;
  double ns = 0;
};
void visit_fields(RowOf<Timed> auto& row, auto&& visit) {
  visit(Field{"way", "where the call starts"}, row.way);
  visit(Field{"elements", "of each tensor"}, row.elements);
  visit(Field{"round", "of those in turns"}, row.round);
  visit(Field{"ns", "of one call", "ns"}, row.ns);
}

inline constexpr char kTimes[] = "times", kLargest[] = "largest";  // a section, its attribute
inline constexpr char kPython[] = "Python: a + b", kCpp[] = "C++: a + b", kAutograd[] = "from AutogradCPU",
                      kCpu[] = "from CPU", kOut[] = "from CPU, out= given", kLoop[] = "a loop over floats";
inline constexpr char kFallsThrough[] = "falls through", kBelow[] = "below autograd";

// The calls that are looked at, and how one writes them in Python.
struct CallWords {
  std::string name, words;
};
inline const std::vector<CallWords> kCalls = {{"plain", "a + b"},
                                              {"requires_grad", "a.requires_grad_() + b"},
                                              {"no_grad", "no_grad(): a.requires_grad_() + b"},
                                              {"inference_mode", "inference_mode(): a + b"},
                                              {"autocast", "autocast('cpu'): a + b"},
                                              {"autocast_mm", "autocast('cpu'): a @ b"},
                                              {"bfloat16", "a.bfloat16() + b.bfloat16()"},
                                              {"int_float", "a.long() + b"},
                                              {"number", "a.long() + 1.5"},
                                              {"broadcast", "a + b[0]"},
                                              {"out", "torch.add(a, b, out=c)"}};

void look_at(const std::string& call, Recorder& recorder);  // rows of Seen, and a span a station
using NsOfCall = std::function<double(int64_t calls)>;
// Rows of Timed, the ways in turns; python is one of them, where there is one.
void time_ways(int64_t elements, int64_t rounds, Recorder& recorder, RunControl& control, NsOfCall python);

std::vector<Seen> seen(const Trace& trace, std::string_view call, std::string_view kind);
std::string first_kernel(const Trace& trace, std::string_view call);  // the key whose kernel is entered first
std::vector<double> times(const Trace& trace, std::string_view way, int64_t elements);  // ns, one a round
std::vector<int64_t> sizes(const Trace& trace);                                         // that were timed

std::vector<FigureSpec> figures();
std::vector<ClaimSpec> claims();
std::vector<PredictionSpec> questions();

}  // namespace ringside::dispatch_lesson
