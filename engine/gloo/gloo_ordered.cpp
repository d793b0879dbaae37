#include "gloo_ordered.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "gloo_mesh.h"
#include "ringside/comm/accumulator.h"
#include "ringside/comm/parts.h"

namespace ringside::inline gloo {
namespace {

enum PieceSlot : uint64_t { kToAdd = 1, kToKeep };
constexpr int64_t kPieceBytes = int64_t{512} << 10;  // a few of them stay in the second-level cache
constexpr size_t kPiecesAhead = 4;                   // of each peer: they have memory

size_t address(const void* at) { return reinterpret_cast<size_t>(at); }

}  // namespace

class OrderedCall {
 public:
  OrderedCall(GlooOrdered& lane, const Collective& call, TimePoint deadline)
      : context_(*lane.context_),
        buffers_(*lane.buffers_),
        spare_(lane.spare_),
        call_(call),
        deadline_(deadline),
        swaps_(call.op == Op::kAllReduce && context_.size == 2) {}

  int64_t run() {
    const int last = swaps_ ? 0 : phases_of(call_.op) - 1;
    if (!adds_up(call_.op, last)) receive_what_is_kept(last);
    if (adds_up(call_.op, 0)) receive_first_pieces();
    for_peers([&](int peer) {
      if (const auto part = part_of(0, peer, context_.rank))
        for (const Chunk piece : pieces_of(part->from))
          send(peer, adds_up(call_.op, 0) ? kToAdd : kToKeep, slice(call_.input, piece));
    });
    if (adds_up(call_.op, 0)) add_up();
    for (; receiving_ > 0; --receiving_) wait([&](auto until) { return buffers_.kept->waitRecv(until); });
    while (sending_ > 0) wait_until_sent();
    return bytes_sent_;
  }

 private:
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
    buffers_.out->send(peer, slot, address(piece.data), size_t(piece.bytes()));
    ++sending_;
    bytes_sent_ += piece.bytes();
  }
  void wait_until_sent() {  // one piece more: those to one peer in their order
    wait([&](auto until) { return buffers_.out->waitSend(until); });
    --sending_;
  }

  // Where the output is the input too, a peer sends its sum of a piece once it has this rank's.
  void receive_what_is_kept(int phase) {
    if (const auto own = part_of(phase, context_.rank, context_.rank))
      copy_into(slice(call_.output, own->to), slice(call_.input, own->from));
    for_peers([&](int peer) {
      const auto part = part_of(phase, context_.rank, peer);
      if (!part) return;
      for (const Chunk piece : pieces_of(part->to)) {
        const MutableView to = slice(call_.output, piece);
        buffers_.kept->recv(peer, kToKeep, address(to.data), size_t(to.bytes()));
        ++receiving_;
      }
    });
  }

  // Before anything is sent: a peer that finds a receive sends at once.
  void receive_first_pieces() {
    const size_t peers = buffers_.to_add.size();
    if (!spare_) spare_ = std::make_unique_for_overwrite<std::byte[]>(kPiecesAhead * peers * kPieceBytes);
    const std::vector<Chunk> pieces = pieces_of(part_of(0, context_.rank, context_.rank)->from);
    for (size_t i = 0; i < std::min(kPiecesAhead, pieces.size()); ++i) receive_to_add(i, pieces[i]);
  }

  void add_up() {
    const TakenPart own = *part_of(0, context_.rank, context_.rank);
    const std::vector<Chunk> pieces = pieces_of(own.from);
    for (size_t i = 0; i < pieces.size(); ++i) {
      std::vector<ConstView> inputs(buffers_.to_add.size(), slice(call_.input, pieces[i]));
      for_peers([&](int peer) {
        wait([&](auto until) { return buffers_.to_add[size_t(peer)]->waitRecv(until); });
        inputs[size_t(peer)].data = place_of(i, peer);
      });
      const int64_t begin = own.to.offset + pieces[i].offset - own.from.offset;
      const MutableView sum = slice(call_.output, begin, pieces[i].count);
      if (swaps_) wait_until_sent();  // the sum takes its place
      reduce_into(sum, inputs, call_.reduce);
      if (i + kPiecesAhead < pieces.size()) receive_to_add(i + kPiecesAhead, pieces[i + kPiecesAhead]);
      if (call_.op == Op::kAllReduce && !swaps_) for_peers([&](int peer) { send(peer, kToKeep, sum); });
    }
  }
  std::byte* place_of(size_t piece, int peer) const {
    const size_t at = piece % kPiecesAhead * buffers_.to_add.size() + size_t(peer);
    return spare_.get() + at * size_t(kPieceBytes);
  }
  void receive_to_add(size_t i, Chunk piece) {
    for_peers([&](int peer) {
      const auto bytes = size_t(slice(call_.input, piece).bytes());
      buffers_.to_add[size_t(peer)]->recv(peer, kToAdd, address(place_of(i, peer)), bytes);
    });
  }

  // Until the deadline. Throws where it is not done.
  template <typename Wait>
  void wait(const Wait& done) const {
    constexpr std::chrono::milliseconds kLeast{1};
    const auto left = [&] {
      return std::max(std::chrono::ceil<std::chrono::milliseconds>(deadline_ - SteadyClock::now()), kLeast);
    };
    if (!was_done([&] { return done(left()); })) throw std::runtime_error("stopped");
  }

  ::gloo::Context& context_;
  GlooOrdered::Buffers& buffers_;
  std::unique_ptr<std::byte[]>& spare_;
  const Collective& call_;
  const TimePoint deadline_;
  const bool swaps_;
  int64_t sending_ = 0, receiving_ = 0, bytes_sent_ = 0;
};

GlooOrdered::GlooOrdered(std::shared_ptr<::gloo::Context> context)
    : context_(std::move(context)), buffers_(std::make_unique<Buffers>()) {
  buffers_->out = whole_memory(*context_), buffers_->kept = whole_memory(*context_);
  for (int peer = 0; peer < context_->size; ++peer) buffers_->to_add.push_back(whole_memory(*context_));
}

int64_t GlooOrdered::carry(const Collective& call, TimePoint deadline) {
  if (!buffers_) throw std::runtime_error("stopped");
  try {
    return OrderedCall(*this, call, deadline).run();
  } catch (const std::exception&) {
    const std::lock_guard lock(mutex_);
    buffers_.reset();  // nobody touches what was posted of them any more
    throw;
  }
}

// A connection's end is not told to who waits for the message that is on its way then.
void GlooOrdered::stop() {
  const std::lock_guard lock(mutex_);
  if (!buffers_) return;
  buffers_->out->abortWaitSend();
  buffers_->kept->abortWaitRecv();
  for (const Buffer& buffer : buffers_->to_add) buffer->abortWaitRecv();
}

}  // namespace ringside::inline gloo
