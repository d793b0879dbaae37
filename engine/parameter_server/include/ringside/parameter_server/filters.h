// What makes messages smaller (Li et al., OSDI 2014, 3.6 and 5.1). The filters of a group of keys stack:
//
//   significant, top   a worker pushes only values that are large; the rest waits and is added to the next
//   values             each value in 2 bytes or 1; what rounding took is added to the next push too
//   key_caching        a list of keys is sent once to a server; later its signature, 8 bytes
//   zstd               the bytes of the values through zstd (RFC 8878)
//
// What waits at a worker ("error feedback": Seide et al., Interspeech 2014; Karimireddy et al., ICML 2019,
// arXiv:1901.09847) is lost with the worker.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "ringside/parameter_server/messages.h"

namespace ringside::inline ps {

struct Filters {
  bool key_caching = false;
  ValueForm pushed = ValueForm::kFloat32, pulled = ValueForm::kFloat32;
  double significant = 0;  // a value is pushed if its magnitude is at least this
  double top = 1;          // of a push, this part of the values, the largest; 0 < top <= 1
  bool zstd = false;
  bool keeps_back() const {
    return significant > 0 || top < 1 || pushed == ValueForm::kFloat16 || pushed == ValueForm::kInt8;
  }
};

// What a worker has not pushed yet, of one range.
class KeptBack {
 public:
  // The gradient and what was kept back, as far as the filters let it pass. The values are those that the
  // server will read.
  KeyedValues pass(const Filters& filters, const KeyedValues& gradient, uint64_t range_begin,
                   size_t range_size);

 private:
  std::vector<float> waits_ = {};  // by key; empty before the first push
};

// Values as bytes, and back. A value that is not finite makes its block fp32.
Bytes encode_values(ValueForm& form, const std::vector<float>& values);
std::vector<float> decode_values(ValueForm form, const Bytes& bytes);  // FrameError

Bytes pack_bytes(const Bytes& bytes);
// To exactly `raw` bytes; FrameError. What it says of itself is held against `raw` and kMostPayload before
// memory is taken.
Bytes unpack_bytes(const Bytes& bytes, size_t raw);

// fp16, rounded to nearest even; beyond the largest number it is that one. Back: base/float_bits.h.
uint16_t float_to_half(float value);

// Keys and values of one range as they lie in a Push, Pull or Pulled, and the cache of key lists: a worker
// that knows that a server has a list sends the list's signature instead (Li et al., OSDI 2014, 5.1).

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
