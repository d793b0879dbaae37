// A large call by Gloo's point-to-point calls alone: each piece goes from one rank's buffer to where the
// other needs it, without a frame and without a thread that reads. Sums are those of the frames: each rank
// receives its chunk of every peer's buffer, adds up in rank order, rounds once, and sends the result to all.
// A piece is added up while the next one is on its way.
//
// Both ends know every size, since records have been compared. What a rank has not asked for yet waits at its
// sender.
#include <gloo/transport/unbound_buffer.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "gloo_mesh.h"
#include "ringside/comm/accumulator.h"
#include "ringside/comm/parts.h"

namespace ringside::inline gloo {
namespace {

enum PieceSlot : uint64_t { kToAdd = 1, kToKeep };
constexpr int64_t kPieceBytes = int64_t{512} << 10;  // a few of them stay in the second-level cache
constexpr size_t kPiecesAhead = 4;                   // of each peer: they have memory

class OrderedCall {
 public:
  OrderedCall(::gloo::Context& context, const Collective& call, GlooSpare& spare, TimePoint deadline)
      : context_(context),
        call_(call),
        deadline_(deadline),
        spare_(spare),
        out_(whole_memory()),
        kept_(whole_memory()),
        swaps_(call.op == Op::kAllReduce && context.size == 2),
        to_add_(static_cast<size_t>(context.size)) {}

  int64_t run() {
    const int last = swaps_ ? 0 : phases_of(call_.op) - 1;
    if (!adds_up(call_.op, last)) receive_what_is_kept(last);
    for_peers([&](int peer) {
      if (const auto part = part_of(0, peer, context_.rank))
        for (const Chunk piece : pieces_of(part->from))
          send(peer, adds_up(call_.op, 0) ? kToAdd : kToKeep, slice(call_.input, piece));
    });
    if (adds_up(call_.op, 0)) add_up();
    for (; receiving_ > 0; --receiving_) wait([&](auto until) { return kept_->waitRecv(until); });
    while (sending_ > 0) wait_until_sent();
    return bytes_sent_;
  }

 private:
  using Buffer = std::unique_ptr<::gloo::transport::UnboundBuffer>;
  // A buffer of Gloo's is a place in memory: this one is all of it. Once it is gone nobody touches what was
  // posted of it.
  Buffer whole_memory() const { return context_.createUnboundBuffer(nullptr, SIZE_MAX); }

  std::optional<TakenPart> part_of(int phase, int reader, int peer) const {
    const Chunk all{0, call_.output.count};
    return swaps_ ? TakenPart{all, all} : part_taken(call_, context_.size, phase, reader, peer);
  }

  template <typename F>
  void for_peers(const F& f) const {
    for (int peer = 0; peer < context_.size; ++peer)
      if (peer != context_.rank) f(peer);
  }
  std::vector<Chunk> pieces_of(Chunk part) const {
    const int64_t most = kPieceBytes / size_of(call_.input.dtype);
    std::vector<Chunk> pieces;
    for (int64_t done = 0; done < part.count; done += most)
      pieces.push_back({part.offset + done, std::min(most, part.count - done)});
    return pieces;
  }

  void send(int peer, PieceSlot slot, ConstView piece) {
    out_->send(peer, slot, reinterpret_cast<size_t>(piece.data), static_cast<size_t>(piece.bytes()));
    ++sending_;
    bytes_sent_ += piece.bytes();
  }
  void wait_until_sent() {  // one piece more: those to one peer in their order
    wait([&](auto until) { return out_->waitSend(until); });
    --sending_;
  }
  static void receive(::gloo::transport::UnboundBuffer& into, int peer, PieceSlot slot, const void* at,
                      int64_t bytes) {
    into.recv(peer, slot, reinterpret_cast<size_t>(at), static_cast<size_t>(bytes));
  }

  // Where the output is the input too, a peer sends its sum of a piece once it has this rank's.
  void receive_what_is_kept(int phase) {
    for_peers([&](int peer) {
      const auto part = part_of(phase, context_.rank, peer);
      if (!part) return;
      for (const Chunk piece : pieces_of(part->to)) {
        const MutableView to = slice(call_.output, piece);
        receive(*kept_, peer, kToKeep, to.data, to.bytes());
        ++receiving_;
      }
    });
    if (const auto own = part_of(phase, context_.rank, context_.rank))
      copy_into(slice(call_.output, own->to), slice(call_.input, own->from));
  }

  void add_up() {
    const TakenPart own = *part_of(0, context_.rank, context_.rank);
    const std::vector<Chunk> pieces = pieces_of(own.from);
    spare_.make(kPiecesAhead * to_add_.size() * kPieceBytes);
    for_peers([&](int peer) { to_add_[static_cast<size_t>(peer)] = whole_memory(); });
    for (size_t i = 0; i < std::min(kPiecesAhead, pieces.size()); ++i) receive_to_add(i, pieces[i]);
    for (size_t i = 0; i < pieces.size(); ++i) {
      std::vector<ConstView> inputs(to_add_.size(), slice(call_.input, pieces[i]));
      for_peers([&](int peer) {
        wait([&](auto until) { return to_add_[static_cast<size_t>(peer)]->waitRecv(until); });
        inputs[static_cast<size_t>(peer)].data = place_of(i, peer);
      });
      const Chunk to{own.to.offset + pieces[i].offset - own.from.offset, pieces[i].count};
      const MutableView sum = slice(call_.output, to);
      if (swaps_) wait_until_sent();  // the sum takes its place
      reduce_into(sum, inputs, call_.reduce);
      if (i + kPiecesAhead < pieces.size()) receive_to_add(i + kPiecesAhead, pieces[i + kPiecesAhead]);
      if (call_.op == Op::kAllReduce && !swaps_) for_peers([&](int peer) { send(peer, kToKeep, sum); });
    }
  }
  std::byte* place_of(size_t piece, int peer) const {
    return spare_.bytes.get() + (piece % kPiecesAhead * to_add_.size() + static_cast<size_t>(peer)) *
                                    static_cast<size_t>(kPieceBytes);
  }
  void receive_to_add(size_t i, Chunk piece) {
    for_peers([&](int peer) {
      receive(*to_add_[static_cast<size_t>(peer)], peer, kToAdd, place_of(i, peer),
              slice(call_.input, piece).bytes());
    });
  }

  // Gloo throws where a connection has ended, at first also to who waits for what was done before.
  template <typename Wait>
  void wait(const Wait& done) const {
    const auto left = [&] {
      return std::max(std::chrono::ceil<std::chrono::milliseconds>(deadline_ - SteadyClock::now()),
                      std::chrono::milliseconds(1));
    };
    try {
      done(left());
    } catch (const std::exception&) {
      done(left());
    }
  }

  ::gloo::Context& context_;
  const Collective& call_;
  const TimePoint deadline_;
  GlooSpare& spare_;
  const bool swaps_;
  const Buffer out_, kept_;
  std::vector<Buffer> to_add_;  // (place)
  int64_t sending_ = 0, receiving_ = 0, bytes_sent_ = 0;
};

}  // namespace

int64_t carry_in_rank_order(::gloo::Context& context, const Collective& call, GlooSpare& spare,
                            TimePoint deadline) {
  return OrderedCall(context, call, spare, deadline).run();
}

}  // namespace ringside::inline gloo
