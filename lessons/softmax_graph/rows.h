// What the run records, and what front ends make of it.
#pragma once

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/rows.h"

namespace ringside::softmax_graph {

inline constexpr char kGraphs[] = "graphs", kDigits[] = "digits", kDifferences[] = "differences";
inline constexpr char kBytesOfX[] = "bytes of x";  // an attribute of "graphs", like what each program keeps
inline constexpr char kModule[] = "nn::Softmax(1)(x)", kFunction[] = "softmax(x, 1)";
inline constexpr char kFused[] = "nll_loss(log_softmax(x, 1))", kComposed[] = "nll_loss(log(softmax(x, 1)))";
inline constexpr const char* kPrograms[] = {kModule, kFunction, kFused, kComposed};

// A node of the graph behind a result, and what it keeps for backward.
struct NodeRow {
  static constexpr char kTable[] = "nodes";
  std::string program, node, saved;
  int64_t saved_bytes = 0, new_bytes = 0;
  bool keeps_x = false;
};
void visit_fields(RowOf<NodeRow> auto& row, auto&& visit) {
  visit(Field{"program", "what was computed"}, row.program);
  visit(Field{"node", "of autograd's graph"}, row.node);
  visit(Field{"saved", "the tensors that it keeps"}, row.saved);
  visit(Field{"saved bytes", "of these tensors", "bytes"}, row.saved_bytes);
  visit(Field{"new bytes", "of them, in storages that no node before it keeps", "bytes"}, row.new_bytes);
  visit(Field{"keeps x", "one of them is the input"}, row.keeps_x);
}

// How far log p is off for the least and the greatest logit.
struct DigitsRow {
  static constexpr char kTable[] = "digits";
  bool fused = false, infinite = false;
  double spread = 0, digits = 0, least = 0, greatest = 0;
  int64_t spoilt = 0;
};
void visit_fields(RowOf<DigitsRow> auto& row, auto&& visit) {
  visit(Field{"fused", "by log_softmax, or else by log(softmax)"}, row.fused);
  visit(Field{"infinite", "log p of the least is -inf"}, row.infinite);
  visit(Field{"spread", "the greatest logit less the others"}, row.spread);
  visit(Field{"digits", "that the number format has"}, row.digits);
  visit(Field{"least", "relative error of log p of the least; 0 where it is infinite"}, row.least);
  visit(Field{"greatest", "relative error of log p of the greatest"}, row.greatest);
  visit(Field{"spoilt", "elements of the gradient that are not finite"}, row.spoilt);
}

std::vector<NodeRow> nodes_of(const Trace& trace, const std::string& program);
std::vector<DigitsRow> digits_of(const Trace& trace, bool fused);
std::optional<double> infinite_from(const Trace& trace);  // the least spread where log(softmax) is -inf

void run(const Config& config, const RunContext& context);
std::vector<FigureSpec> figures();
std::vector<Readout> readouts(const FigureInput& input);

}  // namespace ringside::softmax_graph
