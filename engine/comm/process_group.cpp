#include "ringside/comm/process_group.h"

#include <exception>

#include "ringside/base/check.h"

namespace ringside {

bool is_p2p(Op op) { return op == Op::kSend || op == Op::kRecv; }

ConstView payload(const Collective& call) { return call.op == Op::kRecv ? call.output : call.input; }

void wait_all(const std::vector<WorkPtr>& works) {
  std::exception_ptr first;
  for (const WorkPtr& work : works) {
    try {
      work->wait();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

ProcessGroup::ProcessGroup(std::string name, std::vector<int> ranks, int place)
    : name_(std::move(name)), ranks_(std::move(ranks)), place_(place) {
  RINGSIDE_CHECK_GE(place_, 0);
  RINGSIDE_CHECK_LT(place_, size());
}

WorkPtr ProcessGroup::all_reduce(View buffer, Tag tag, ReduceOp op) {
  return start(
      {.op = Op::kAllReduce, .input = buffer, .output = buffer, .tag = std::move(tag), .reduce = op});
}
WorkPtr ProcessGroup::reduce_scatter(ConstView input, View output, Tag tag) {
  return start({.op = Op::kReduceScatter, .input = input, .output = output, .tag = std::move(tag)});
}
WorkPtr ProcessGroup::all_gather(ConstView input, View output, Tag tag) {
  return start({.op = Op::kAllGather, .input = input, .output = output, .tag = std::move(tag)});
}
WorkPtr ProcessGroup::broadcast(View buffer, int root, Tag tag) {
  return start(
      {.op = Op::kBroadcast, .input = buffer, .output = buffer, .tag = std::move(tag), .peer = root});
}
WorkPtr ProcessGroup::all_to_all(ConstView input, View output, Tag tag) {
  return start({.op = Op::kAllToAll, .input = input, .output = output, .tag = std::move(tag)});
}
WorkPtr ProcessGroup::send(ConstView buffer, int peer, Tag tag) {
  return start({.op = Op::kSend, .input = buffer, .tag = std::move(tag), .peer = peer});
}
WorkPtr ProcessGroup::recv(View buffer, int peer, Tag tag) {
  return start({.op = Op::kRecv, .output = buffer, .tag = std::move(tag), .peer = peer});
}
WorkPtr ProcessGroup::barrier(Tag tag) { return start({.op = Op::kBarrier, .tag = std::move(tag)}); }

GroupDecorator::GroupDecorator(std::unique_ptr<ProcessGroup> inner)
    : ProcessGroup(inner->name(), inner->ranks(), inner->rank()), inner_(std::move(inner)) {}

}  // namespace ringside
