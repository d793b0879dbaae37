#include "directory.h"

namespace ringside::inline ps {
namespace {

constexpr NodeId kSelf = 0;  // the scheduler

}  // namespace

Bytes Directory::answer(const Bytes& greeting, uint64_t world) {
  const Frame frame = open(greeting, world);
  switch (static_cast<Greeting>(frame.type)) {
    case Greeting::kHello: {
      const bool accepted = take(frame.from, read_greeting<Hello>(frame));
      return seal_greeting(Greeting::kWelcome, Welcome{accepted}, world, kSelf, frame.from);
    }
    case Greeting::kWhere: {
      const NodeId node = read_greeting<Where>(frame).node;
      const std::string address = address_of(node);
      const Here here{node, {address.begin(), address.end()}};
      return seal_greeting(Greeting::kHere, here, world, kSelf, frame.from);
    }
    default: throw FrameError(FrameFault::kType, "a greeting that is not for a scheduler");
  }
}

Bytes Directory::refusal(uint64_t world, NodeId to) {
  return seal_greeting(Greeting::kWelcome, Welcome{false}, world, kSelf, to);
}

// A node may greet again. Another one of its number is refused.
bool Directory::take(NodeId node, const Hello& hello) {
  const auto found = nodes_.find(node);
  if (node == kSelf || hello.address.size() > kMostAddress) return false;
  if (found == nodes_.end() ? nodes_.size() >= kMostNodes : found->second.life != hello.life) return false;
  nodes_[node] = {{hello.address.begin(), hello.address.end()}, hello.life};
  return true;
}

std::string Directory::address_of(NodeId node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::string() : found->second.address;
}

}  // namespace ringside::inline ps
