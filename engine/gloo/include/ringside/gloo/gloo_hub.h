// Ranks as processes, on one host or on several, over Gloo: a Channel (comm/channel.h) of its point-to-point
// calls. A ChannelHub makes every collective of them, so that sums have the bits of threads and bfloat16 is
// added too. Of a large one the channels carry the records alone: its data moves by those calls directly
// (gloo_ordered.cpp), over connections of its group. The layer is there where libgloo is found.
//
// What Gloo does by itself, and what follows here:
//
//   it pairs calls by their order, a skipped one with the next       the hub sends each call's record first
//   another size at the two ends aborts the process (terminate)      lengths, or records, travel first
//   a wait past its timeout closes the connections to every rank     no wait of Gloo's has a timeout here
//   a peer that dies within a message wakes nobody who waits for it  a receive that nobody answers is posted
//   once a peer has closed, waits for what it sent before fail too   each is asked once more: it was there
//   a write to a peer that has gone raises SIGPIPE                   the process ignores it from then on
//
// A stranger who connects to one of its ports before the rank that it is meant for takes that rank's place.
// They are open until all ranks are connected, on loopback unless said otherwise.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "ringside/comm/channel.h"
#include "ringside/launch/store.h"

namespace ringside::inline gloo {

struct GlooOptions {
  int rank = 0, size = 1;
  std::string address = "127.0.0.1";                            // of this host, as the others reach it
  std::string interface = {};                                   // "eth0": instead of the address
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);  // until all ranks are there
  // "": sums are in rank order and rounded once. Else Gloo's own of that name, for the types that it adds;
  // and its all-gather, broadcast and all-to-all. Sums are in another order then, and bytes are not observed.
  // A rank that dies within a message may be noticed at the deadline alone.
  std::string algorithm = {};
};
std::vector<std::string> gloo_algorithms();  // "gloo_ring", "gloo_bcube", "gloo_halving_doubling"

// Returns once this rank is connected with all others, who call it with the same store; each store serves one
// run. A rank that comes and dies is lost to whoever calls it then. StoreTimeoutError, and what the store
// throws; UsageError where the address is none of this host's, or no algorithm has that name.
std::shared_ptr<ChannelHub> connect_over_gloo(std::shared_ptr<Store> store, const GlooOptions& options);

// options.algorithm alone, without records and groups, for who compares times. The same errors.
std::shared_ptr<OwnCollectives> connect_gloo_alone(std::shared_ptr<Store> store, const GlooOptions& options);

}  // namespace ringside::inline gloo
