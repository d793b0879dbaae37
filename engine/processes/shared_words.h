// What each rank of a run says to all others, through the store. It goes there in pieces: of one rank no more
// than a few are there at a time, so that the store holds what ranks say, however much it is. Piece k + few
// follows once everybody who is there has read piece k; the last few stay until the next round.
//
//   shared/ROUND/RANK/0          how many pieces
//   shared/ROUND/RANK/PIECE      from 1 on; "" where it says nothing after all
//   shared/ROUND/RANK/read/BY    how many of them that rank has read
#pragma once

#include <string>
#include <string_view>

#include "ringside/comm/wiring.h"
#include "ringside/launch/store.h"

namespace ringside::inline processes {

class SharedWords {
 public:
  // store_bytes: what it holds.
  SharedWords(TcpStore& store, int own, int size, size_t store_bytes = kMostStored);
  // One round, of all ranks. `all` has what this one says, and gets what the others say. The deadline moves
  // on with each piece behind a rank's first. Errors of the store.
  void tell_and_hear(ProcessWiring::Shared& all, TimePoint deadline);

 private:
  void begin(std::string_view own);
  bool offer_more();
  size_t read_by_all();
  void goes_on();
  void withdraw();
  void free_last_round();
  TcpStore::Found wait_for(int rank, const std::string& key);
  TcpStore::Found hear(int rank);
  std::string key(int64_t round, int rank, size_t piece) const;
  std::string read_key(int rank, int by) const;

  TcpStore& store_;
  const int own_, size_;
  const size_t piece_bytes_, few_;
  std::chrono::nanoseconds patience_{};
  TimePoint deadline_{};
  int64_t round_ = -1;
  std::string_view said_ = {};                   // of this round, as what follows
  size_t pieces_ = 0, offered_ = 0, freed_ = 0;  // pieces
  size_t last_offered_ = 0, last_freed_ = 0;     // in the round before
};

}  // namespace ringside::inline processes
