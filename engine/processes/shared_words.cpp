#include "shared_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "ringside/base/text.h"
#include "ringside/base/threads.h"

namespace ringside::inline processes {
namespace {

constexpr size_t kMostPiece = size_t{8} << 20;
constexpr size_t kLeastFew = 4;
constexpr std::chrono::milliseconds kToAnswer{100};  // of the store, at the deadline

// Half of the store is for all else. Of each rank two rounds may be there: who is ahead begins the next.
size_t bytes_of_rank(size_t store_bytes, int size) { return store_bytes / 2 / 2 / size_t(size); }

}  // namespace

SharedWords::SharedWords(TcpStore& store, int own, int size, size_t store_bytes)
    : store_(store),
      own_(own),
      size_(size),
      piece_bytes_(std::clamp<size_t>(bytes_of_rank(store_bytes, size) / kLeastFew, 1, kMostPiece)),
      few_(std::max(bytes_of_rank(store_bytes, size) / piece_bytes_, kLeastFew)) {}

std::string SharedWords::key(int64_t round, int rank, size_t piece) const {
  return fmt::format("shared/{}/{}/{}", round, rank, piece);
}
std::string SharedWords::read_key(int rank, int by) const {
  return fmt::format("shared/{}/{}/read/{}", round_, rank, by);
}

void SharedWords::tell_and_hear(ProcessWiring::Shared& all, TimePoint deadline) {
  patience_ = deadline - SteadyClock::now();
  deadline_ = deadline;
  store_.answer_by(deadline_ + kToAnswer);
  begin(all.said[size_t(own_)]);
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == own_) continue;
    TcpStore::Found heard = hear(rank);
    if (!heard.value) (heard.is_gone ? all.silent : all.late).push_back(rank);
    all.said[size_t(rank)] = std::move(heard.value).value_or("");
  }
  constexpr std::chrono::milliseconds kPause{2};
  while (!offer_more() && SteadyClock::now() < deadline_) std::this_thread::sleep_for(kPause);
  free_last_round();
  said_ = {};
}

void SharedWords::begin(std::string_view own) {
  ++round_;
  last_offered_ = offered_, last_freed_ = freed_;
  said_ = own;
  pieces_ = (own.size() + piece_bytes_ - 1) / piece_bytes_;
  offered_ = freed_ = 0;
  offer_more();
  try {
    store_.set(key(round_, own_, 0), pieces_ > 0 ? std::to_string(pieces_) : "");
  } catch (const StoreRefusedError&) {
    withdraw();
  }
}

// All have begun this round, so nobody reads the one before any more.
void SharedWords::free_last_round() {
  for (size_t piece = last_freed_; piece < last_offered_; ++piece)
    store_.set(key(round_ - 1, own_, piece + 1), "");
}

// True: all is offered.
bool SharedWords::offer_more() {
  if (offered_ == pieces_) return true;
  const size_t read = offered_ < few_ ? 0 : read_by_all();
  if (freed_ < read) goes_on();
  for (; freed_ < read; ++freed_) store_.set(key(round_, own_, freed_ + 1), "");
  try {
    for (; offered_ < std::min(pieces_, freed_ + few_); ++offered_)
      store_.set(key(round_, own_, offered_ + 1), said_.substr(offered_ * piece_bytes_, piece_bytes_));
  } catch (const StoreRefusedError&) {  // it is full of other things
    withdraw();
  }
  return offered_ == pieces_;
}

// Pieces. Who is gone reads no more.
size_t SharedWords::read_by_all() {
  size_t least = offered_;
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == own_) continue;
    const std::string said = store_.look(rank, read_key(own_, rank)).value.value_or("");
    const size_t read = read_number<size_t>(said).value_or(0);
    if (read < least && !store_.look(rank, "nobody sets this").is_gone) least = read;
  }
  return least;
}

void SharedWords::goes_on() {
  deadline_ = std::max(deadline_, SteadyClock::now() + patience_);
  store_.answer_by(deadline_ + kToAnswer);
}

// An empty value takes no room.
void SharedWords::withdraw() {
  for (size_t piece = freed_; piece <= offered_; ++piece) store_.set(key(round_, own_, piece + 1), "");
  store_.set(key(round_, own_, 0), "");
  pieces_ = offered_ = freed_ = 0;
}

// This rank goes on to tell meanwhile: the other one may wait for that.
TcpStore::Found SharedWords::wait_for(int rank, const std::string& key) {
  const WaitScope scope("key " + key);
  constexpr std::chrono::milliseconds kFirst{1}, kMost{16};
  for (auto pause = kFirst;; pause = std::min(2 * pause, kMost)) {
    TcpStore::Found found = store_.look(rank, key);
    if (found.value || found.is_gone || SteadyClock::now() >= deadline_) return found;
    offer_more();
    std::this_thread::sleep_until(std::min(SteadyClock::now() + pause, deadline_));
  }
}

TcpStore::Found SharedWords::hear(int rank) {
  const TcpStore::Found first = wait_for(rank, key(round_, rank, 0));
  if (!first.value) return first;
  TcpStore::Found whole{.value = ""};
  const size_t count = read_number<size_t>(*first.value).value_or(0);
  for (size_t piece = 0; piece < count; ++piece) {
    if (piece > 0) {
      goes_on();
      store_.set(read_key(rank, own_), std::to_string(piece));
    }
    TcpStore::Found found = wait_for(rank, key(round_, rank, piece + 1));
    if (!found.value || found.value->empty()) return found;
    *whole.value += *found.value;
  }
  return whole;
}

}  // namespace ringside::inline processes
