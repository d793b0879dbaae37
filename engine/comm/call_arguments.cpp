// What a caller can get wrong alone. It is refused at the call, before a peer sees it.
#include <fmt/format.h>

#include "call.h"
#include "ringside/base/error.h"
#include "ringside/comm/accumulator.h"

namespace ringside::inline comm {
namespace {

using RefuseCall = std::function<void(const std::string& what)>;

void check_counts(const Collective& call, int64_t ranks, const RefuseCall& refuse) {
  const int64_t in = call.input.count, out = call.output.count;
  const auto check_whole = [&](const char* name, int64_t whole, int64_t chunk) {
    if (whole != chunk * ranks)
      refuse(fmt::format("its {} has {} elements; allowed are {}, {} for each of {} ranks", name, whole,
                         chunk * ranks, chunk, ranks));
  };
  if (payload(call).count < 0) refuse(fmt::format("{} elements", payload(call).count));
  if (call.op == Op::kReduceScatter) check_whole("input", in, out);
  if (call.op == Op::kAllGather) check_whole("output", out, in);
  const bool as_many = call.op == Op::kAllReduce || call.op == Op::kBroadcast || call.op == Op::kAllToAll;
  if (as_many && in != out) refuse(fmt::format("its input has {} elements, its output {}", in, out));
  if (call.op == Op::kAllToAll && in % ranks != 0)
    refuse(fmt::format("{} elements are not divisible by {} ranks", in, ranks));
}

void check_types(const Collective& call, const RefuseCall& refuse) {
  const Dtype in = call.input.dtype, out = call.output.dtype;
  if (!is_p2p(call.op) && in != out)
    refuse(fmt::format("its input is {}, its output {}", to_string(in), to_string(out)));
  if (!is_p2p(call.op) && call.input.device != call.output.device)
    refuse("its input and output are not memory of one device");
  const bool sums = call.op == Op::kAllReduce || call.op == Op::kReduceScatter;
  if (sums && !has_sum(in)) refuse(fmt::format("there is no sum of {}", to_string(in)));
}

void check_peer(const Collective& call, const ProcessGroup& group, const RefuseCall& refuse) {
  if (!is_p2p(call.op) && call.op != Op::kBroadcast) return;
  if (call.peer < 0 || call.peer >= group.size())
    refuse(fmt::format("place {}; allowed are 0 to {}", call.peer, group.size() - 1));
  if (is_p2p(call.op) && call.peer == group.rank()) refuse("its peer is the rank itself");
}

// Peers read an input while outputs are written.
bool may_share(const Collective& call, int rank) {
  const auto* const in = static_cast<const std::byte*>(call.input.data);
  const auto* const out = static_cast<const std::byte*>(call.output.data);
  if (call.op == Op::kAllReduce || call.op == Op::kBroadcast) return in == out;
  if (call.op == Op::kReduceScatter) return out == in + rank * call.output.bytes();
  return call.op == Op::kAllGather && in == out + rank * call.input.bytes();
}

void check_memory(const Collective& call, int rank, const RefuseCall& refuse) {
  const ConstView in = call.input, out = call.output;
  for (const ConstView& view : {in, out})
    if (view.count > 0 && view.data == nullptr) refuse("it has elements and no memory");
  if (in.count == 0 || out.count == 0) return;
  const auto* const a = static_cast<const std::byte*>(in.data);
  const auto* const b = static_cast<const std::byte*>(out.data);
  if (a < b + out.bytes() && b < a + in.bytes() && !may_share(call, rank))
    refuse("its input and output share memory otherwise than process_group.h allows");
}

}  // namespace

void check_arguments(const Collective& call, const ProcessGroup& group) {
  const RefuseCall refuse = [&](const std::string& what) {
    const ConstView of = payload(call);
    const Tag& tag = call.tag;
    throw UsageError("rank {}: {} {} of {} {} ({}{}{}): {}", group.world_rank(), group.name(),
                     to_string(call.op), of.count, to_string(of.dtype), tag.what,
                     tag.unit.empty() ? "" : ", ", tag.unit, what);
  };
  check_types(call, refuse);
  check_counts(call, group.size(), refuse);
  check_peer(call, group, refuse);
  check_memory(call, group.rank(), refuse);
}

}  // namespace ringside::inline comm
