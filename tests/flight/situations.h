// What goes wrong in distributed training, as the dumps that it leaves behind. Four ranks, group dp for the
// gradients and default for the evaluation, unless it says otherwise.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scene.h"

namespace ringside {

using Dumps = std::vector<FlightDump>;

inline const std::vector<int> kAll = {0, 1, 2, 3};
inline const std::vector<int> kNotTwo = {0, 1, 3};

inline Called bucket(int number, int64_t elements = 8) {
  return {.elements = elements, .unit = "bucket " + std::to_string(number)};
}
inline Called evaluation() {
  return {.op = Op::kAllGather, .elements = 40, .tag = "evaluation", .unit = "logits"};
}

// Rank 2 is late: the others have queued three buckets, of which it has called none.
inline Dumps one_late() {
  Scene scene(4, {"dp", "default"});
  scene.together(kAll, "dp", bucket(0), 5);
  for (int b = 0; b < 3; ++b) scene.stuck(kNotTwo, "dp", bucket(b, 8 + b));
  return scene.end();
}

// Rank 2 was killed and left no dump.
inline Dumps one_gone() {
  Dumps dumps = one_late();
  dumps.erase(dumps.begin() + 2);
  return dumps;
}

// Rank 2 skips bucket 0 of the second step; nobody checks. Buckets differ in size.
inline Dumps skip_sizes_differ() {
  Scene scene(4, {"dp"});
  for (int b = 0; b < 2; ++b) scene.together(kAll, "dp", bucket(b, 8 + b));
  scene.stuck(kNotTwo, "dp", bucket(0, 8));
  scene.stuck({2}, "dp", bucket(1, 9));
  scene.stuck(kNotTwo, "dp", bucket(1, 9));
  return scene.end();
}

// The same with buckets of one size: every call finds a partner, and in the end one is left over.
inline Dumps skip_in_silence(bool tags = true) {
  Scene scene(4, {"dp"});
  const auto carries = [&](int b) { return tags ? bucket(b) : Called{.elements = 8, .tag = "", .unit = ""}; };
  for (int b = 0; b < 2; ++b) scene.together(kAll, "dp", carries(b));
  for (const int rank : kAll)
    for (int b = rank == 2 ? 1 : 0; b < 4; ++b) {
      FlightEntry& entry = scene.call(rank, "dp", carries(b));
      if (rank == 2 || b < 3) scene.finish(entry);
    }
  return scene.end();
}
inline Dumps skip_without_tags() { return skip_in_silence(false); }

// Rank 2 calls once more than the others, who are done.
inline Dumps extra_call(bool tags = true) {
  Scene scene(4, {"dp"});
  const auto carries = [&](int b) { return tags ? bucket(b) : Called{.elements = 8, .tag = "", .unit = ""}; };
  scene.together(kAll, "dp", carries(0));
  for (const int rank : kNotTwo)
    for (int b = 1; b < 3; ++b) scene.finish(scene.call(rank, "dp", carries(b)));
  scene.finish(scene.call(2, "dp", tags ? Called{.elements = 8, .tag = "extra", .unit = ""} : carries(9)));
  scene.finish(scene.call(2, "dp", carries(1)));
  scene.call(2, "dp", carries(2));
  return scene.end();
}
inline Dumps extra_without_tags() { return extra_call(false); }

inline Dumps one_differs(const Called& wrong) {
  Scene scene(4, {"dp", "default"});
  scene.together(kAll, "dp", bucket(0), 3);
  scene.stuck(kNotTwo, "dp", bucket(0));
  scene.stuck({2}, "dp", wrong);
  return scene.end();
}
inline Dumps wrong_size() { return one_differs(bucket(0, 9)); }
inline Dumps wrong_dtype() {
  return one_differs({.elements = 8, .unit = "bucket 0", .dtype = Dtype::kFloat64});
}
inline Dumps wrong_op() { return one_differs({.op = Op::kBarrier, .elements = 0, .tag = "", .unit = ""}); }
inline Dumps wrong_root() {
  Scene scene(4, {"dp"});
  for (const int rank : kAll)
    scene.call(rank, "dp", {.op = Op::kBroadcast, .tag = "initial", .peer = rank == 2 ? 1 : 0});
  return scene.end();
}

// Rank 3 has one batch more: it trains while the others evaluate. Each group alone is in order.
inline Dumps one_batch_more() {
  Scene scene(4, {"dp", "default"});
  scene.together(kAll, "default", evaluation(), 10);
  scene.together(kAll, "dp", bucket(0), 45);
  scene.stuck({3}, "dp", bucket(0));
  scene.stuck({0, 1, 2}, "default", evaluation());
  return scene.end();
}

// Rank 0 evaluates alone while the others go on training.
inline Dumps evaluates_alone() {
  Scene scene(4, {"dp", "default"});
  scene.together(kAll, "dp", bucket(0), 4);
  scene.stuck({0}, "default", evaluation());
  scene.stuck({1, 2, 3}, "dp", bucket(0));
  return scene.end();
}

// Two ranks, each waiting in another group.
inline Dumps two_in_a_circle() {
  Scene scene(2, {"dp", "default"});
  scene.together({0, 1}, "dp");
  scene.stuck({0}, "dp");
  scene.stuck({1}, "default", evaluation());
  return scene.end();
}
inline Dumps two_disagree() {
  Scene scene(2, {"dp"});
  scene.together({0, 1}, "dp");
  scene.stuck({0}, "dp", bucket(0, 8));
  scene.stuck({1}, "dp", bucket(0, 9));
  return scene.end();
}
inline Dumps two_one_late() {
  Scene scene(2, {"dp"});
  scene.together({0, 1}, "dp");
  scene.stuck({0}, "dp");
  return scene.end();
}

// Rank 1 receives from rank 0, which has sent what it had.
inline Dumps receives_once_too_often() {
  Scene scene(3, {"dp"});
  scene.finish(scene.call(0, "dp", {.op = Op::kSend, .tag = "activation", .peer = 1}));
  scene.finish(scene.call(1, "dp", {.op = Op::kRecv, .tag = "activation", .peer = 0}));
  scene.call(1, "dp", {.op = Op::kRecv, .tag = "activation", .peer = 0});
  return scene.end();
}
// Each sends before it receives.
inline Dumps both_send_first() {
  Scene scene(2, {"dp"});
  scene.call(0, "dp", {.op = Op::kSend, .peer = 1});
  scene.call(1, "dp", {.op = Op::kSend, .peer = 0});
  return scene.end();
}

// Rank 2 was busy in another group: its ring no longer holds its first calls of dp.
inline Dumps short_memory() {
  Dumps dumps = one_late();
  FlightDump& dump = dumps[2];
  dump.entries.erase(dump.entries.begin(), dump.entries.begin() + 3);
  dump.forgotten = 3;
  dumps[0].entries[1].state = CollectiveState::kStarted;  // discovered late
  dumps[0].entries[1].time_discovered_completed_ns = 0;
  return dumps;
}

inline Dumps all_well() {
  Scene scene(4, {"dp", "default"});
  scene.together(kAll, "dp", bucket(0), 3);
  scene.together(kAll, "default", evaluation());
  scene.together(kAll, "default", {.op = Op::kReduceScatter});
  scene.together(kAll, "default", {.op = Op::kBroadcast, .peer = 2});
  scene.together(kAll, "default", {.op = Op::kAllToAll});
  scene.together(kAll, "default", {.op = Op::kBarrier, .elements = 0, .tag = "", .unit = ""});
  return scene.end();
}

// All are in it, and nobody gets out.
inline Dumps hangs_inside() {
  Scene scene(4, {"dp"});
  scene.together(kAll, "dp");
  scene.stuck(kAll, "dp");
  return scene.end();
}

// The same, and the others have come out of it.
inline Dumps one_stays_inside() {
  Scene scene(4, {"dp"});
  scene.together(kAll, "dp");
  for (const int rank : kAll) {
    FlightEntry& entry = scene.call(rank, "dp");
    if (rank != 2) scene.finish(entry);
  }
  return scene.end();
}
// Rank 2 has called it, but what it queued before has not ended.
inline Dumps one_not_started() {
  Dumps dumps = hangs_inside();
  dumps[2].entries.back().state = CollectiveState::kScheduled;
  dumps[2].entries.back().time_discovered_started_ns = 0;
  return dumps;
}

// Rank 2 sleeps; rank 3 waits for it in tp; ranks 0 and 1 wait in dp for rank 3.
inline Dumps a_chain() {
  Scene scene(4, {"dp", "tp"});
  scene.together(kAll, "tp");
  scene.stuck({3}, "tp");
  scene.stuck({0, 1}, "dp");
  for (FlightDump& dump : scene.dumps) {
    dump.groups[0].ranks = {0, 1, 3};
    dump.groups[1].ranks = {2, 3};
    if (dump.rank == 2)
      dump.groups.erase(dump.groups.begin());
    else if (dump.rank != 3)
      dump.groups.erase(dump.groups.begin() + 1);
    if (dump.rank < 2) dump.entries.erase(dump.entries.begin());
  }
  return scene.end();
}

struct Situation {
  std::string name;
  std::function<Dumps()> dumps;
};
inline const std::vector<Situation> kSituations = {{"one_late", one_late},
                                                   {"one_gone", one_gone},
                                                   {"skip_sizes_differ", skip_sizes_differ},
                                                   {"skip_in_silence", [] { return skip_in_silence(); }},
                                                   {"skip_without_tags", skip_without_tags},
                                                   {"extra_call", [] { return extra_call(); }},
                                                   {"extra_without_tags", extra_without_tags},
                                                   {"wrong_size", wrong_size},
                                                   {"wrong_dtype", wrong_dtype},
                                                   {"wrong_op", wrong_op},
                                                   {"wrong_root", wrong_root},
                                                   {"one_batch_more", one_batch_more},
                                                   {"evaluates_alone", evaluates_alone},
                                                   {"two_in_a_circle", two_in_a_circle},
                                                   {"two_disagree", two_disagree},
                                                   {"two_one_late", two_one_late},
                                                   {"receives_once_too_often", receives_once_too_often},
                                                   {"both_send_first", both_send_first},
                                                   {"short_memory", short_memory},
                                                   {"all_well", all_well},
                                                   {"hangs_inside", hangs_inside},
                                                   {"one_stays_inside", one_stays_inside},
                                                   {"one_not_started", one_not_started},
                                                   {"a_chain", a_chain}};

}  // namespace ringside
