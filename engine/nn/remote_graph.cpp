#include "ringside/nn/remote_graph.h"

#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include "ringside/base/check.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/tensor/passage.h"

namespace ringside::inline nn {
namespace {

using torch::autograd::Node;

std::set<Node*> nodes_behind(const std::vector<at::Tensor>& roots) {
  std::set<Node*> all;
  std::vector<Node*> open;
  const auto meet = [&](Node* node) {
    if (node != nullptr && all.insert(node).second) open.push_back(node);
  };
  for (const at::Tensor& root : roots) meet(root.grad_fn().get());
  while (!open.empty()) {
    Node* const node = open.back();
    open.pop_back();
    for (const torch::autograd::Edge& edge : node->next_edges()) meet(edge.function.get());
  }
  return all;
}

}  // namespace

DeadSendError::DeadSendError(const CallRecord& call, int from, int to, std::string name, int64_t id,
                             const std::string& message)
    : CollectiveError(ExitCode::kTimeout, call, {to}, message),
      sender(from),
      receiver(to),
      what(std::move(name)),
      context(id) {}

RemoteGraph::RemoteGraph(ProcessGroup& group, int64_t context, Check check)
    : group_(group),
      context_(context),
      check_(check),
      sent_(size_t(group.size())),
      received_(size_t(group.size())),
      anchor_(at::zeros({}).set_requires_grad(true)) {}

Tag RemoteGraph::tag_of(const char* of, const std::string& what) const {
  return {of, fmt::format("context {}: {}", context_, what)};
}

void RemoteGraph::post(int peer, int64_t number, const at::Tensor& payload, bool requires_grad,
                       const Tag& tag) {
  const at::Tensor header = at::empty({kHeaderFields}, at::kLong);
  auto* const fields = header.data_ptr<int64_t>();
  fields[0] = context_, fields[1] = number, fields[2] = requires_grad;
  Message message{header, payload, {}};
  message.works.push_back(group_.send(view_of(header), peer, {tag.what + " header", tag.unit}));
  if (payload.defined()) message.works.push_back(group_.send(view_of(payload), peer, tag));
  under_way_.push_back(std::move(message));
}

RemoteGraph::Header RemoteGraph::header_of(int peer, const Tag& tag) {
  const at::Tensor header = at::empty({kHeaderFields}, at::kLong);
  group_.recv(view_of(header), peer, {tag.what + " header", tag.unit})->wait();
  const auto* const fields = header.data_ptr<int64_t>();
  if (fields[0] != context_)
    throw InputError(
        "rank {}, {}: rank {} sent something of context {}; all ranks take their contexts in one order",
        group_.world_rank(), tag.unit, group_.ranks()[size_t(peer)], fields[0]);
  return {fields[1], fields[2] != 0};
}

void RemoteGraph::send(const at::Tensor& value, int peer, const std::string& what) {
  RINGSIDE_CHECK(peer != group_.rank(), "a rank sends to others");
  const int64_t number = sent_.at(size_t(peer))++;
  const bool requires_grad = value.requires_grad();
  const auto forward = [&](const at::Tensor& x) {
    post(peer, number, x.detach().contiguous().clone(), requires_grad, tag_of("value", what));
    return at::zeros({});
  };
  if (!requires_grad) return static_cast<void>(forward(value));
  sent_to_[peer].push_back({number, what});
  const auto backward = [this, peer, number, what, shape = value.sizes().vec(),
                         type = value.scalar_type()](const at::Tensor&) {
    at::Tensor gradient = at::empty(shape, type);
    take_gradient(gradient, number, peer, what);
    return gradient;
  };
  roots_.push_back(passage(value, forward, backward));
}

at::Tensor RemoteGraph::receive(at::IntArrayRef shape, at::ScalarType type, int peer,
                                const std::string& what) {
  const int64_t number = received_.at(size_t(peer))++;
  const Tag tag = tag_of("value", what);
  const Header header = header_of(peer, tag);
  RINGSIDE_CHECK_EQ(header.number, number);
  const at::Tensor value = at::empty(shape, type);
  group_.recv(view_of(value), peer, tag)->wait();
  if (!header.requires_grad) return value;
  const at::Tensor received = passage(
      anchor_, [&](const at::Tensor&) { return value; },
      [this, peer, number, what](const at::Tensor& dy) {
        post(peer, number, dy.contiguous(), false, tag_of("gradient", what));
        return at::zeros({});
      });
  received_from_[peer].push_back({number, what, received.grad_fn()});
  return received;
}

DeadSendError RemoteGraph::dead(int64_t number, int peer, const std::string& what,
                                const std::string& why) const {
  const int receiver = group_.ranks()[size_t(peer)];
  const CallRecord call{
      .group = group_.name(), .seq = number, .op = Op::kRecv, .root = receiver, .rank = group_.world_rank()};
  return {call,
          group_.world_rank(),
          receiver,
          what,
          context_,
          fmt::format("rank {} sent '{}' to rank {} in context {}, and no gradient of it comes: {}. A value "
                      "that is sent has to reach the loss; detach it where it does not",
                      group_.world_rank(), what, receiver, context_, why)};
}

void RemoteGraph::take_gradient(const at::Tensor& into, int64_t number, int peer, const std::string& what) {
  const Tag tag = tag_of("gradient", what);
  const int receiver = group_.ranks()[size_t(peer)];
  int64_t came = 0;
  try {
    came = header_of(peer, tag).number;
  } catch (const TimeoutError& error) {
    if (error.ranks() != std::vector<int>{receiver}) throw;
    throw dead(number, peer, what, "the deadline has passed");
  }
  if (came != number) throw dead(number, peer, what, "that of an earlier value came instead");
  group_.recv(view_of(into), peer, tag)->wait();
}

void RemoteGraph::settle() {
  for (Message& message : under_way_) wait_all(message.works);
  under_way_.clear();
}

void RemoteGraph::tell_what_is_reached(const std::set<torch::autograd::Node*>& reached) {
  const Tag tag = tag_of("reached", "");
  for (const auto& [peer, values] : received_from_) {
    const at::Tensor bytes = at::empty({int64_t(values.size())}, at::kByte);
    for (size_t i = 0; i < values.size(); ++i)
      bytes.data_ptr<uint8_t>()[i] = reached.contains(values[i].node.get());
    under_way_.push_back(Message{{}, bytes, {group_.send(view_of(bytes), peer, tag)}});
  }
  for (const auto& [peer, values] : sent_to_) {
    const at::Tensor bytes = at::empty({int64_t(values.size())}, at::kByte);
    group_.recv(view_of(bytes), peer, tag)->wait();
    for (size_t i = 0; i < values.size(); ++i)
      if (bytes.data_ptr<uint8_t>()[i] == 0)
        throw dead(values[i].number, peer, values[i].what,
                   "its receiver's part of the graph does not lead to it");
  }
}

std::vector<at::Tensor> RemoteGraph::backward(const at::Tensor& loss, const std::vector<at::Tensor>& leaves) {
  settle();
  std::vector<at::Tensor> roots = roots_, inputs = leaves, ones;
  if (loss.defined()) roots.push_back(loss);
  for (const at::Tensor& root : roots) ones.push_back(at::ones_like(root));
  const std::set<Node*> reached = nodes_behind(roots);
  if (check_ == Check::kWalk) tell_what_is_reached(reached);
  // Autograd runs what leads to an input: with all leaves as inputs, every send and receive.
  for (Node* node : reached)
    if (const auto* leaf = dynamic_cast<torch::autograd::AccumulateGrad*>(node))
      inputs.push_back(leaf->variable);
  std::vector<at::Tensor> gradients(leaves.size());
  if (!roots.empty()) {
    gradients = torch::autograd::grad(roots, inputs, ones, /*retain_graph=*/false, /*create_graph=*/false,
                                      /*allow_unused=*/true);
    gradients.resize(leaves.size());
  }
  settle();
  return gradients;
}

void RemoteGraph::predict(RankRows& rows, int64_t sent, int64_t received, int64_t bytes) {
  const auto add = [&](const std::string& tag, int64_t messages, int64_t each) {
    *rows.traffic(tag.c_str(), Op::kSend).predicted += messages * each;
    rows.traffic(tag.c_str(), Op::kRecv);
  };
  for (const auto& [tag, messages] : {std::pair{"value", sent}, {"gradient", received}}) {
    add(tag, messages, bytes);
    add(fmt::format("{} header", tag), messages, kHeaderFields * size_of(Dtype::kInt64));
  }
  add("reached", received, 1);
}

}  // namespace ringside::inline nn
