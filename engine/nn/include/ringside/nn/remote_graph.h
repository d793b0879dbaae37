// One graph of autograd over several ranks: values travel from rank to rank in forward, and one backward runs
// through all ranks. What PyTorch's RPC framework calls distributed autograd, in its FAST mode
// (pytorch.org/docs/stable/rpc/distributed_autograd.html; PyTorch's pull request 27022).
//
//   send      y = x on the peer        backward: waits for dy from the peer, dx = dy
//   receive   y                        backward: sends dy to the peer
//
// Each rank runs its own part of the graph, from its loss and from everything that it sent: a send is taken
// for a part of the backward pass, whatever the peer does with the value. Autograd runs the nodes of a thread
// in the reverse order of their creation, so backward is forward mirrored: a receive becomes a send and a
// send a receive, in the reverse order. Where forward ended, backward ends too, but for one case: a value
// that was sent and does not reach the loss. No gradient of it ever comes, and FAST mode waits for it until
// the group's deadline. With kWalk, which is ours, each rank first walks its part of the graph, as DDP does
// for unused parameters, and says to each sender which of its values backward will reach: a byte for each.
//
// A context is one forward and its backward. Its id travels with every message, so that two contexts do not
// take each other's values. Gradients are returned, and `.grad` of the leaves stays as it was: two contexts
// add nothing up. Hooks of AccumulateGrad are not called.
//
// Gradients have the bits of one process that runs the same operations with a copy where a value is sent:
// contributions to a tensor are added in the reverse order in which its rank used it.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/autograd/edge.h>

#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ringside/comm/errors.h"
#include "ringside/planner/run_rows.h"

namespace torch::autograd {
struct Node;
}

namespace ringside::inline nn {

// The gradient of a value that was sent does not come.
struct DeadSendError : CollectiveError {
  DeadSendError(const CallRecord& call, int sender, int receiver, std::string what, int64_t context,
                const std::string& message);
  int sender, receiver;  // ranks of the world
  std::string what;      // as send() was told
  int64_t context;
};

// Peers read what it sends. So that an error does not destroy it before they have, World::make keeps it.
class RemoteGraph {
 public:
  enum class Check : uint8_t { kWalk, kFast };

  // context: the same on all ranks of the graph, and of no other graph of the group that is under way. The
  // group is this graph's and its like's alone: messages of a pair of ranks are taken in the order of the
  // calls.
  RemoteGraph(ProcessGroup& group, int64_t context, Check check = Check::kWalk);
  RemoteGraph& operator=(RemoteGraph&&) = delete;

  // peer: a place in the group, not this rank's. what: its name in records and errors. It does not wait.
  void send(const at::Tensor& value, int peer, const std::string& what);
  // As contiguous; it requires a gradient where the sent value does. InputError where the message is another
  // context's.
  at::Tensor receive(at::IntArrayRef shape, at::ScalarType type, int peer, const std::string& what);

  // Once, by every rank that sent or received, at the same time. Of the sum of all ranks' losses, for each
  // leaf of this rank; undefined where none reaches it. loss: (), or undefined where this rank has none.
  std::vector<at::Tensor> backward(const at::Tensor& loss, const std::vector<at::Tensor>& leaves);

  // Adds what a rank sends, with kWalk, that sends so many values and has received so many, each of so many
  // bytes, all of which require a gradient and reach a loss.
  static void predict(RankRows& rows, int64_t sent, int64_t received, int64_t bytes);

 private:
  static constexpr int64_t kHeaderFields = 3;  // context, number, requires_grad: before each payload
  struct Header {
    int64_t number = 0;
    bool requires_grad = false;
  };
  struct Message {
    at::Tensor header, payload;
    std::vector<WorkPtr> works;
  };
  void post(int peer, int64_t number, const at::Tensor& payload, bool requires_grad, const Tag& tag);
  Header header_of(int peer, const Tag& tag);
  void take_gradient(const at::Tensor& into, int64_t number, int peer, const std::string& what);
  void tell_what_is_reached(const std::set<torch::autograd::Node*>& reached);
  DeadSendError dead(int64_t number, int peer, const std::string& what, const std::string& why) const;
  void settle();  // waits until all messages have been taken
  Tag tag_of(const char* of, const std::string& what) const;

  ProcessGroup& group_;
  const int64_t context_;
  const Check check_;
  struct Value {  // that requires a gradient
    int64_t number = 0;
    std::string what;
    // Of a receive; kept, so that no other has its address.
    decltype(torch::autograd::Edge::function) node = nullptr;
  };
  std::vector<int64_t> sent_, received_;                       // (place) messages so far, which number them
  std::map<int, std::vector<Value>> sent_to_, received_from_;  // by place
  std::vector<at::Tensor> roots_;                              // of the sends
  at::Tensor anchor_;                                          // the leaf behind every receive
  std::list<Message> under_way_;
};

}  // namespace ringside::inline nn
