// A program started as the ranks of one run, on this host: `--processes N`.
//
// Rank 0 has our terminal and speaks; what the others write to stderr is kept, and said of the one that is to
// blame. A socket that listens is handed to rank 0, for its store, so that no port can be taken in between.
// None outlives us: the system ends them when we end, and those that are left after one has failed are ended.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ringside/launch/process.h"

namespace ringside::inline launch {

struct RanksToStart {
  int ranks = 1;
  std::vector<std::string> command;
  double seconds = 0;     // all are ended after this time; 0: they may take any
  double to_follow = 10;  // s for the others to end by themselves, once one has failed or rank 0 is through
  bool watched = false;   // rank 0 has what the others record while they do
  int killed = -1;        // this rank must end by a signal: for tests of the others
  // So many times all are started anew, as another run, after a signal has ended a rank, a peer was lost or a
  // deadline was missed; torchrun calls it --max-restarts. What they had computed is theirs to keep: a
  // training with checkpoints that resumes goes on from the newest one.
  int restarts = 0;
  std::function<void(int rank, const std::string& line)> heard = {};  // what ranks above 0 write to stdout
};

// Returns when all have ended, the last time: the exit code of the one that failed first, where another is
// known than that a peer was lost; of one that a signal ended, kPeerLost. What happened is said to stderr.
// SIGINT and SIGTERM reach rank 0, which tells the others; a second one ends all at once.
int start_ranks(const RanksToStart& start);

// What makes a process one rank of a run on this host. port: of the store, which rank 0 keeps.
ProcessSetting setting_of_rank(int rank, int ranks, int port, const std::string& run);
std::string new_run_id();

}  // namespace ringside::inline launch
