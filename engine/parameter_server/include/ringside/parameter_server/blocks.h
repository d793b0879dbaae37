// Keys and values of one range as they lie in a Push, Pull or Pulled, and the cache of key lists: a worker
// that knows that a server has a list sends the list's signature instead (Li et al., OSDI 2014, 5.1).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>

#include "ringside/parameter_server/filters.h"

namespace ringside::inline ps {

uint64_t signature_of(const std::vector<uint64_t>& keys);

// What to say of the keys: all of the range, or a list.
Block block_of_keys(bool whole, const std::vector<uint64_t>& keys);
void put_values(Block& block, const std::vector<float>& values, ValueForm form, bool zstd);
std::vector<float> values_of(const Block& block);  // FrameError

// A server's: lists that came in. The oldest are forgotten.
class KnownLists {
 public:
  // The keys that the block names, empty for a whole range; nothing where its signature is not known. A list
  // is kept where `caching`.
  std::optional<std::vector<uint64_t>> keys_of(const Block& block, bool caching);
  size_t size() const { return lists_.size(); }

 private:
  static constexpr size_t kMost = 4096;
  std::map<uint64_t, std::vector<uint64_t>> lists_ = {};
  std::deque<uint64_t> order_ = {};
};

// A worker's: which server has answered for which list.
class ListsElsewhere {
 public:
  // The block as that server can read it: with its list, or the signature alone.
  Block shortened(const Block& block, NodeId server) const;
  void answered(const Block& block, NodeId server);
  void unknown(uint64_t signature, NodeId server) { known_.erase({server, signature}); }

 private:
  std::set<std::pair<NodeId, uint64_t>> known_ = {};
};

}  // namespace ringside::inline ps
