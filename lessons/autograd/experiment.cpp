// What autograd does with ranks: hooks of AccumulateGrad, when and how often, and another order on one rank.
#include "embedded.h"
#include "parts.h"
#include "ringside/trace/measure.h"

namespace ringside::lessons::autograd {
namespace {

using namespace figure;

ClaimResult from_its_thread(const Trace& trace) {
  const SectionView& section = needed(trace.find(kHooks));
  const auto sums = completed_calls(trace, section, "gradients", kAllRanks);
  int64_t in_backward = 0;
  for (const SpanEvent& span : spans_named(trace, section, "backward", kAllRanks))
    in_backward += std::ranges::count_if(sums, [&](const CollectiveEvent& sum) {
      return sum.rank == span.rank && is_within(sum.time_created_ns, span);
    });
  const auto fired = needed(rows_in<FiredRow>(trace));
  const auto in_caller = std::ranges::count(fired, true, &FiredRow::in_caller);
  return judged(both(in_backward > 0, in_caller == 0), in_backward, sums.size(), in_caller, fired.size());
}

ClaimResult reverse_order(const Trace& trace) {
  const auto fired = needed(rows_where<FiredRow>(trace, having(&FiredRow::rank, 0)));
  const auto falls = [&](int64_t FiredRow::*use) {
    return std::ranges::is_sorted(fired, std::greater(), use);
  };
  return judged(both(falls(&FiredRow::first_use), falls(&FiredRow::last_use)),
                fmt::format("{}", fmt::join(values_of(fired, &FiredRow::parameter), ", ")));
}

ClaimResult order_is_noticed(const Trace& trace) {
  const OrderRow fixed = row_of<OrderRow>(trace, kFixed), ready = row_of<OrderRow>(trace, kAsReady),
                 sizes = row_of<OrderRow>(trace, kAsReadySizes);
  const bool sizes_noticed = sizes.error != kNoError;
  return judged(both(ready.error != kNoError, sizes_noticed), ready.error, ready.off,
                sizes_noticed ? "an error" : kNoError, fixed.off);
}

// "bucket 0" is of the parameter that was declared last.
std::string parameter_of(const std::string& bucket) {
  return std::rbegin(kDeclared)[std::min(size_t(bucket.back() - '0'), std::size(kDeclared) - 1)];
}

// Of each rank: its sums, from the request to the result, and the stretches of its backward that led to the
// requests.
Value timeline(const FigureInput& input) {
  const SectionView& section = needed(input.trace.find(kHooks));
  const auto backward = needed(spans_named(input.trace, section, "backward", kAllRanks));
  const int64_t first_ns = std::ranges::min(backward, {}, &SpanEvent::start_ns).start_ns;
  const auto ms = [&](int64_t ns) { return double(ns - first_ns) * 1e-6; };
  Lanes lanes{{tr("since backward began"), "ms"}, {}, {}};
  for (const SpanEvent& span : backward) {
    const size_t lane = lanes.lanes.size();
    lanes.lanes.push_back(tr("rank {}", span.rank)), lanes.lanes.push_back(tr("its sums"));
    double from = ms(span.start_ns);
    for (const CollectiveEvent& sum : completed_calls(input.trace, section, "gradients", span.rank)) {
      const std::string parameter = parameter_of(input.trace.name(sum.unit));
      const double asked = ms(sum.time_created_ns);
      lanes.items.push_back({lane + 1, asked, ms(sum.time_completed_ns), parameter, Ink::kGradients});
      if (sum.time_created_ns > span.end_ns) continue;
      lanes.items.push_back({lane, std::exchange(from, asked), asked, parameter, Ink::kActivations});
    }
  }
  return lanes;
}

Value graph(const FigureInput& input) {
  Graph graph;
  for (const NodeRow& row : rows_in<NodeRow>(input.trace))
    graph.nodes.push_back({row.text, row.detail, row.detail.empty() ? Ink::kOther : Ink::kGradients});
  for (const EdgeRow& row : rows_in<EdgeRow>(input.trace))
    graph.edges.push_back({size_t(row.from), size_t(row.to)});
  return graph;
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .claims = {{"thread", from_its_thread}, {"reverse", reverse_order}, {"noticed", order_is_noticed}},
       .figures = {{"graph", graph}, {"timeline", timeline}}});
}

}  // namespace ringside::lessons::autograd
