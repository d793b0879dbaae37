#include "ringside/comm/parts.h"

#include <algorithm>

namespace ringside::inline comm {

int phases_of(Op op) { return op == Op::kBarrier ? 0 : op == Op::kAllReduce ? 2 : 1; }

bool adds_up(Op op, int phase) { return op == Op::kReduceScatter || (op == Op::kAllReduce && phase == 0); }

std::optional<TakenPart> part_taken(const Collective& call, int size, int phase, int reader, int peer) {
  const int64_t in = call.input.count, out = call.output.count;
  const auto nth = [](int64_t index, int64_t count) { return Chunk{index * count, count}; };
  const Chunk all = nth(0, payload(call).count);
  const auto whole_if = [&](bool so) { return so ? std::optional(TakenPart{all, all}) : std::nullopt; };
  switch (call.op) {
    case Op::kAllReduce: {
      const Chunk chunk = chunk_of(out, size, phase == 0 ? reader : peer);
      return TakenPart{chunk, chunk};
    }
    case Op::kReduceScatter: return TakenPart{nth(reader, out), nth(0, out)};
    case Op::kAllGather: return TakenPart{nth(0, in), nth(peer, in)};
    case Op::kAllToAll: return TakenPart{nth(reader, in / size), nth(peer, in / size)};
    case Op::kBroadcast: return whole_if(peer == call.peer && reader != peer);
    case Op::kSend: return whole_if(reader == call.peer);
    case Op::kRecv: return whole_if(peer == call.peer);
    case Op::kBarrier: break;
  }
  return std::nullopt;
}

int64_t largest_part(const Collective& call, int size) {
  int64_t most = 0;
  for (int phase = 0; phase < phases_of(call.op); ++phase)
    for (int reader = 0; reader < size; ++reader)
      for (int peer = 0; peer < size; ++peer)
        if (const auto part = part_taken(call, size, phase, reader, peer); part && reader != peer)
          most = std::max(most, part->from.count);
  return most * size_of(payload(call).dtype);
}

}  // namespace ringside::inline comm
