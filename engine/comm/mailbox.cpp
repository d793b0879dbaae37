#include "mailbox.h"

namespace ringside {
namespace {

void take_all(std::deque<Mailbox::Letter>& letters, std::vector<CallPtr>& calls) {
  for (Mailbox::Letter& letter : letters) calls.push_back(std::move(letter.call));
  letters.clear();
}

}  // namespace

std::optional<Mailbox::Match> Mailbox::post(const Letter& letter) {
  const int rank = letter.call->rank(), peer = letter.call->request().peer;
  const bool sends = letter.call->op() == Op::kSend;
  Pair& letters = sends ? pair(rank, peer) : pair(peer, rank);
  (sends ? letters.sends : letters.recvs).push_back(letter);
  if (letters.sends.empty() || letters.recvs.empty()) return std::nullopt;

  const Match match{{letters.sends.front().call, letters.recvs.front().call}};
  const Fingerprint& sent = match.transfer.send->request().fingerprint;
  const Fingerprint& wanted = match.transfer.recv->request().fingerprint;
  if (sent.count != wanted.count || sent.dtype != wanted.dtype) return Match{match.transfer, false};
  letters.sends.pop_front();
  letters.recvs.pop_front();
  return match;
}

std::optional<Mailbox::Letter> Mailbox::most_urgent(int rank) const {
  std::optional<Letter> first;
  const auto consider = [&](const std::deque<Letter>& letters) {  // filed in the order of their deadlines
    if (!letters.empty() && (!first || letters.front().deadline < first->deadline)) first = letters.front();
  };
  for (int peer = 0; peer < size_; ++peer) {
    consider(pair(rank, peer).sends);
    consider(pair(peer, rank).recvs);
  }
  return first;
}

std::vector<CallPtr> Mailbox::withdraw(int rank) {
  std::vector<CallPtr> calls;
  for (int peer = 0; peer < size_; ++peer) {
    take_all(pair(rank, peer).sends, calls);
    take_all(pair(peer, rank).recvs, calls);
  }
  return calls;
}

bool Mailbox::waits_for(int rank, int peer) const {
  return !pair(rank, peer).sends.empty() || !pair(peer, rank).recvs.empty();
}

}  // namespace ringside
