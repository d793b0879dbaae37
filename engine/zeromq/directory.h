// Where the nodes of a run listen, as they said when they greeted: the scheduler's endpoint keeps it, and
// answers from it.
#pragma once

#include <map>
#include <string>

#include "greeting.h"

namespace ringside::ps {

inline constexpr size_t kMostAddress = 256;  // bytes

class Directory {
 public:
  // The answer to a Hello or a Where, sealed. FrameError where it is neither; one of kVersion or kWorld has
  // an answer too, a Welcome, which shows this run's.
  Bytes answer(const Bytes& greeting, uint64_t world);
  static Bytes refusal(uint64_t world, NodeId to);

  bool knows(NodeId node) const { return nodes_.contains(node); }
  std::string address_of(NodeId node) const;  // empty: nobody of this number was here

 private:
  static constexpr size_t kMostNodes = 100'000;
  struct Entry {
    std::string address;
    uint64_t life = 0;
  };
  bool take(NodeId node, const Hello& hello);

  std::map<NodeId, Entry> nodes_ = {};
};

}  // namespace ringside::ps
