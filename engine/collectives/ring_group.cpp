#include "ringside/collectives/ring_group.h"

#include <vector>

#include "ringside/collectives/ring.h"
#include "ringside/comm/accumulator.h"
#include "ringside/comm/then_work.h"

namespace ringside::inline collectives {
namespace {

// Memory of its own for as many elements.
struct Scratch {
  explicit Scratch(ConstView like)
      : bytes(size_t(like.bytes())), view{bytes.data(), like.count, like.dtype} {}
  std::vector<std::byte> bytes;
  MutableView view;
};

}  // namespace

WorkPtr RingGroup::start(Collective call) {
  if (call.reduce != ReduceOp::kSum) return inner_->start(std::move(call));
  const auto own = [&](MutableView whole) { return slice(whole, chunk_of(whole.count, size(), rank())); };
  switch (call.op) {
    case Op::kAllGather:
      copy_into(own(call.output), call.input);
      ring_all_gather(*inner_, call.output, call.tag);
      break;
    case Op::kReduceScatter: {
      const Scratch sums(call.input), incoming(call.output);
      copy_into(sums.view, call.input);
      ring_reduce_scatter(*inner_, sums.view, incoming.view, call.tag);
      copy_into(call.output, own(sums.view));
      break;
    }
    case Op::kAllReduce: {
      const Scratch incoming(call.output);
      ring_all_reduce(*inner_, call.output, incoming.view, call.tag);
      break;
    }
    default: return inner_->start(std::move(call));
  }
  return std::make_shared<ThenWork>();
}

}  // namespace ringside::inline collectives
