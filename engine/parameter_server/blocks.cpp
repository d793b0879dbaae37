#include "ringside/parameter_server/blocks.h"

namespace ringside::inline ps {

// FNV-1a over the keys as 64-bit words, with a last mix; two lists of one number never meet in practice.
uint64_t signature_of(const std::vector<uint64_t>& keys) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const uint64_t key : keys) {
    hash = (hash ^ key) * 0x100000001b3;
    hash ^= hash >> 29;
  }
  return hash ^ keys.size();
}

Block block_of_keys(bool whole, const std::vector<uint64_t>& keys) {
  Block block{.key_form = whole ? KeyForm::kWhole : KeyForm::kList, .keys = keys};
  if (!whole) block.signature = signature_of(keys);
  return block;
}

void put_values(Block& block, const std::vector<float>& values, ValueForm form, bool zstd) {
  block.values = encode_values(form, values);
  block.value_form = form;
  block.raw_bytes = 0;
  if (!zstd || block.values.empty()) return;
  Bytes packed = pack_bytes(block.values);
  if (packed.size() >= block.values.size()) return;  // it does not pay
  block.raw_bytes = static_cast<uint32_t>(block.values.size());
  block.values = std::move(packed);
}

std::vector<float> values_of(const Block& block) {
  if (block.raw_bytes == 0) return decode_values(block.value_form, block.values);
  return decode_values(block.value_form, unpack_bytes(block.values, block.raw_bytes));
}

std::optional<std::vector<uint64_t>> KnownLists::keys_of(const Block& block, bool caching) {
  switch (block.key_form) {
    case KeyForm::kWhole:
      return std::vector<uint64_t>();
    case KeyForm::kList:
      break;
    case KeyForm::kSignature: {
      const auto found = lists_.find(block.signature);
      if (found == lists_.end()) return std::nullopt;
      return found->second;
    }
    default:
      throw FrameError(FrameFault::kValue, "keys in a form that does not exist");
  }
  if (!caching || block.keys.empty() || !lists_.try_emplace(block.signature, block.keys).second)
    return block.keys;
  if (block.signature != signature_of(block.keys)) {
    lists_.erase(block.signature);
    throw FrameError(FrameFault::kValue, "a signature of another list of keys");
  }
  order_.push_back(block.signature);
  if (order_.size() > kMost) {
    lists_.erase(order_.front());
    order_.pop_front();
  }
  return block.keys;
}

Block ListsElsewhere::shortened(const Block& block, NodeId server) const {
  if (block.key_form != KeyForm::kList || !known_.contains({server, block.signature})) return block;
  Block shorter = block;
  shorter.key_form = KeyForm::kSignature;
  shorter.keys.clear();
  return shorter;
}

void ListsElsewhere::answered(const Block& block, NodeId server) {
  constexpr size_t kMost = 65536;
  if (block.key_form != KeyForm::kList || block.keys.empty()) return;
  if (known_.size() >= kMost) known_.clear();  // they will be sent once more
  known_.insert({server, block.signature});
}

}  // namespace ringside::inline ps
