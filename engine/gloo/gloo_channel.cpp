// Bytes between two ranks over a pair of Gloo's. What is written goes as messages: an envelope of fixed size,
// in which stand the length and what is short enough, then the others. Up to kEager they go to memory that
// the receiver keeps ready; more go in pieces, each to the place that it has given, without a copy.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "gloo_mesh.h"
#include "ringside/base/check.h"

namespace ringside::inline gloo {
namespace {

enum Slot : uint64_t { kEnvelopes = 1, kReady, kPieces, kNever };  // nobody answers a receive on kNever
constexpr size_t kEager = size_t{1} << 16, kPiece = size_t{1} << 20;
constexpr size_t kAhead = 4;  // messages that are received ahead: their sender need not wait for an answer

struct GlooEnvelope {
  uint64_t inside = 0, behind = 0;  // bytes
  std::array<std::byte, 240> begin = {};
};

class GlooChannel final : public Channel {
 public:
  GlooChannel(std::shared_ptr<GlooMesh> mesh, int peer)
      : mesh_(std::move(mesh)),
        peer_(peer),
        in_(whole_memory(*mesh_->context)),
        out_(whole_memory(*mesh_->context)) {
    // Gloo tells a pair's end to calls that wait for their turn, and not to one that it is carrying out: a
    // writer hears of it by this one, a reader by the envelopes that are to come.
    receive(*out_, kNever, &nothing_, sizeof nothing_);
    for (size_t i = 0; i < kAhead; ++i) {
      ready_[i] = std::make_unique_for_overwrite<std::byte[]>(kEager);
      receive(*in_, kEnvelopes, &ahead_[i], sizeof ahead_[i]);
      receive(*in_, kReady, ready_[i].get(), kEager);
    }
  }
  ~GlooChannel() override { shut(); }

  Written write(const void* from, size_t bytes, TimePoint deadline) override {
    return write_behind({}, from, bytes, deadline);
  }

  Written write_behind(std::span<const std::byte> header, const void* from, size_t bytes,
                       TimePoint deadline) override {
    std::atomic<bool> late = false;
    const GlooAlarm::Until alarm(mesh_->alarm, deadline, [&] {
      late = true;
      out_->abortWaitSend();
    });
    if (send_message(header, static_cast<const std::byte*>(from), bytes)) return Written::kAll;
    shut();  // what follows half a message would not be understood; and nobody reads `from` any more
    return late ? Written::kLate : Written::kLost;
  }

  bool read(void* to, size_t bytes) override {
    for (auto* at = static_cast<std::byte*>(to); bytes > 0;) {
      size_t taken = 0;
      if (!at_hand_.empty())
        taken = take_at_hand(at, bytes);
      else if (behind_ == 0 ? !open_envelope() : eager_ ? !open_ready() : !take_pieces(at, bytes, taken))
        return false;
      at += taken, bytes -= taken;
    }
    return true;
  }

  void shut() override {
    const std::lock_guard lock(mutex_);
    if (std::exchange(shut_, true)) return;
    mesh_->context->getPair(peer_).reset();  // sends what it has been handed, and touches no memory any more
    in_->abortWaitRecv();
    out_->abortWaitSend();
  }

 private:
  bool send_message(std::span<const std::byte> header, const std::byte* from, size_t bytes) {
    RINGSIDE_CHECK_LE(header.size(), envelope_.begin.size());
    std::byte* inside = std::ranges::copy(header, envelope_.begin.data()).out;
    const bool all_inside = header.size() + bytes <= envelope_.begin.size();
    if (all_inside) inside = std::copy_n(from, bytes, inside);
    envelope_.inside = size_t(inside - envelope_.begin.data());
    envelope_.behind = all_inside ? 0 : bytes;
    if (!send(kEnvelopes, &envelope_, sizeof envelope_)) return false;
    if (all_inside) return has_sent();
    // The receiver counts what has come: the envelope is to be there first.
    if (bytes <= kEager) return has_sent() && send(kReady, from, bytes) && has_sent();
    size_t posted = 1;  // pieces are received once their envelope is
    for (size_t done = 0; done < bytes; done += kPiece, ++posted)
      if (!send(kPieces, from + done, std::min(kPiece, bytes - done))) return false;
    while (posted > 0 && has_sent()) --posted;
    return posted == 0;
  }

  // Both do not wait. False: the peer is gone, or the channel was shut.
  bool send(Slot slot, const void* from, size_t bytes) {
    return post([&] { out_->send(peer_, slot, reinterpret_cast<size_t>(from), bytes); });
  }
  bool receive(::gloo::transport::UnboundBuffer& buffer, Slot slot, void* to, size_t bytes) {
    return post([&] { buffer.recv(peer_, slot, reinterpret_cast<size_t>(to), bytes); });
  }
  template <typename Call>
  bool post(const Call& call) try {
    const std::lock_guard lock(mutex_);
    if (shut_) return false;
    call();
    return true;
  } catch (const std::exception&) {
    return false;
  }

  // In the order in which they were sent.
  bool has_sent() {
    return was_done([&] { return out_->waitSend(kGlooForEver); });
  }
  bool has_received() {
    return was_done([&] { return in_->waitRecv(kGlooForEver); });
  }

  size_t take_at_hand(std::byte* to, size_t bytes) {
    const size_t taken = std::min(bytes, at_hand_.size());
    std::memcpy(to, at_hand_.data(), taken);
    at_hand_ = at_hand_.subspan(taken);
    return taken;
  }

  // The next message. What the last one lay in is received into again; if that fails so does the next wait.
  bool open_envelope() {
    if (opened_) receive(*in_, kEnvelopes, &ahead_[next_++ % kAhead], sizeof(GlooEnvelope));
    if (eager_) receive(*in_, kReady, ready_[next_ready_++ % kAhead].get(), kEager);
    opened_ = has_received();
    const GlooEnvelope& envelope = ahead_[next_ % kAhead];
    if (!opened_ || envelope.inside > envelope.begin.size()) return false;
    at_hand_ = std::span(envelope.begin).first(envelope.inside);
    behind_ = envelope.behind;
    eager_ = behind_ > 0 && behind_ <= kEager;
    return true;
  }

  bool open_ready() {
    at_hand_ = {ready_[next_ready_ % kAhead].get(), std::exchange(behind_, 0)};
    return has_received();
  }

  // As many whole pieces as fit; one that does not is kept at hand.
  bool take_pieces(std::byte* to, size_t bytes, size_t& taken) {
    size_t posted = 0;
    const auto piece = [&] { return std::min<size_t>(kPiece, behind_); };
    for (; behind_ > 0 && piece() <= bytes - taken; ++posted) {
      if (!receive(*in_, kPieces, to + taken, piece())) return false;
      const size_t size = piece();
      taken += size, behind_ -= size;
    }
    if (posted == 0) {
      spilled_.resize(piece());
      if (!receive(*in_, kPieces, spilled_.data(), spilled_.size())) return false;
      at_hand_ = spilled_, behind_ -= spilled_.size(), posted = 1;
    }
    while (posted > 0 && has_received()) --posted;
    return posted == 0;
  }

  const std::shared_ptr<GlooMesh> mesh_;
  const int peer_;
  const std::unique_ptr<::gloo::transport::UnboundBuffer> in_, out_;
  std::mutex mutex_;  // guards shut_, and the pair against its end
  bool shut_ = false;
  std::byte nothing_{};
  GlooEnvelope envelope_;  // of the writer
  // Of the reader.
  std::array<GlooEnvelope, kAhead> ahead_;
  std::array<std::unique_ptr<std::byte[]>, kAhead> ready_;
  size_t next_ = 0, next_ready_ = 0;
  bool opened_ = false, eager_ = false;
  uint64_t behind_ = 0;                 // of the message, not yet received
  std::span<const std::byte> at_hand_;  // received
  std::vector<std::byte> spilled_;
};

}  // namespace

std::unique_ptr<Channel> make_gloo_channel(std::shared_ptr<GlooMesh> mesh, int peer) {
  return std::make_unique<GlooChannel>(std::move(mesh), peer);
}

}  // namespace ringside::inline gloo
