#include "ringside/flight/report.h"

#include "catch.h"
#include "situations.h"

using namespace ringside;

namespace {

using Ranks = std::vector<int>;

// In a group #seq: state, who is in it, who is missing, who disagrees.
void check_stuck(const StuckCollective& stuck, const std::string& group, int64_t seq, MatchState state,
                 const Ranks& in_it, const Ranks& missing, const Ranks& disagreeing = {}) {
  CHECK(stuck.call.group == group);
  CHECK(stuck.call.collective_seq_id == seq);
  CHECK(to_string(stuck.state) == to_string(state));
  CHECK(stuck.in_it == in_it);
  CHECK(stuck.missing == missing);
  CHECK(stuck.disagreeing == disagreeing);
}

// told: for certain, or by a majority of the ranks.
void check_suspects(const FlightReport& report, const Ranks& suspects, bool told) {
  INFO(report.sentence);
  CHECK(report.suspects == suspects);
  CHECK((report.grounds >= Grounds::kMajority) == told);
  CHECK(report.sentence.back() == '.');
}

}  // namespace

TEST_CASE("who is gone is known; whom the others outvote is suspected by majority; a tie tells nothing") {
  const FlightReport gone = merge_flights(one_gone()), late = merge_flights(one_late()),
                     tie = merge_flights(two_in_a_circle());
  CHECK(gone.grounds == Grounds::kKnown);
  CHECK(late.grounds == Grounds::kMajority);
  CHECK(tie.grounds < Grounds::kMajority);
  CHECK(report_text(gone).find("suspect    rank 2\n") != std::string::npos);
  CHECK(report_text(late).find("suspect    rank 2, by majority: more ranks did otherwise") !=
        std::string::npos);
  CHECK(report_json(late).find("by_majority") != std::string::npos);
}

TEST_CASE("a rank that is late is missing, and what queues behind is no cause") {
  const FlightReport report = merge_flights(one_late());
  CHECK(report.groups == std::vector<std::string>{"dp", "default"});
  REQUIRE(report.stuck.size() == 3);
  check_stuck(report.stuck[0], "dp", 5, MatchState::kCollectiveStateMismatch, {0, 1, 3}, {2});
  CHECK_FALSE(report.stuck[0].queued);
  CHECK(report.stuck[0].waited_ns > 1'500'000'000);
  CHECK(report.stuck[0].waited_ns < 1'600'000'000);
  CHECK(report.stuck[1].queued);
  CHECK(report.stuck[2].queued);
  check_suspects(report, {2}, true);
  CHECK(report.cycle.empty());
  CHECK_FALSE(report.mispaired);
  REQUIRE(report.ranks.size() == 4);
  CHECK(report.ranks[0].waits_in->collective_seq_id == 5);
  CHECK(report.ranks[0].last_seq_completed == std::vector<int64_t>{4, -1});
  CHECK(report.ranks[0].last_seq_scheduled == std::vector<int64_t>{7, -1});
  CHECK_FALSE(report.ranks[2].waits_in);
  CHECK(report.ranks[2].last_seq_scheduled == std::vector<int64_t>{4, -1});
  CHECK(report.ranks[2].did_last ==
        "completed dp #4 all_reduce of 8 float32 (gradients, bucket 0), 1.5 s ago");
  CHECK(
      report.sentence ==
      "Ranks 0, 1 and 3 wait in dp #5 all_reduce of 8 float32 (gradients, bucket 0) for rank 2, which never "
      "called it and waits for nothing.");
}

TEST_CASE("a rank without a dump is gone; a skipped call shows where sizes differ") {
  const FlightReport report = merge_flights(one_gone());
  check_stuck(report.stuck.at(0), "dp", 5, MatchState::kUndecided, {0, 1, 3}, {2});
  check_suspects(report, {2}, true);
  REQUIRE(report.ranks.size() == 4);
  CHECK_FALSE(report.ranks[2].dumped);
  CHECK_FALSE(report.ranks[2].waits_in);
  CHECK(report.ranks[2].last_completed->collective_seq_id == 4);
  CHECK(report.ranks[2].last_seq_completed == std::vector<int64_t>{4, -1});
  CHECK(report.ranks[2].did_last.find("left no dump; took part in dp #4 all_reduce") == 0);
  CHECK(report.sentence.find("Rank 2 is gone and left no dump; ranks 0, 1 and 3 wait for it in dp #5") == 0);
  Dumps healthy = all_well();
  healthy.pop_back();
  check_suspects(merge_flights(healthy), {3}, false);
  const FlightReport skipped = merge_flights(skip_sizes_differ());
  check_stuck(skipped.stuck.at(0), "dp", 2, MatchState::kSizeOrSyntaxMismatch, {0, 1, 2, 3}, {}, {2});
  CHECK(skipped.stuck[0].call.elements_in == 8);
  CHECK(skipped.stuck.at(1).queued);
  check_suspects(skipped, {2}, true);
  CHECK_FALSE(skipped.mispaired);  // it was noticed at the call
  const FlightReport extra = merge_flights(extra_call());
  check_stuck(extra.stuck.at(0), "dp", 3, MatchState::kCollectiveStateMismatch, {2}, {0, 1, 3});
  check_stuck(extra.mispaired.value(), "dp", 1, MatchState::kFullyMatched, {0, 1, 2, 3}, {}, {2});
  check_suspects(extra, {2}, true);
  check_suspects(merge_flights(extra_without_tags()), {2}, false);
}

TEST_CASE("a skipped call among equal sizes shows by what was carried") {
  const FlightReport report = merge_flights(skip_in_silence());
  check_stuck(report.stuck.at(0), "dp", 5, MatchState::kCollectiveStateMismatch, {0, 1, 3}, {2});
  REQUIRE(report.mispaired);
  check_stuck(*report.mispaired, "dp", 2, MatchState::kFullyMatched, {0, 1, 2, 3}, {}, {2});
  CHECK(report.mispaired->call.unit == "bucket 0");
  check_suspects(report, {2}, true);
  CHECK(report.sentence ==
        "Calls are paired wrongly since dp #2, in silence: rank 2 has gradients, bucket 1 where ranks 0, 1 "
        "and 3 "
        "have gradients, bucket 0.");

  Dumps later = skip_in_silence();  // rings that hold nothing from before the skip
  for (FlightDump& dump : later) {
    dump.entries.erase(dump.entries.begin(), dump.entries.begin() + 3);
    dump.forgotten = 3;
  }
  const FlightReport forgetful = merge_flights(later);
  CHECK(forgetful.mispaired->call.collective_seq_id == 3);
  check_suspects(forgetful, {2}, false);
  CHECK(forgetful.sentence.find("may have begun before") != std::string::npos);

  const FlightReport untold = merge_flights(skip_without_tags());
  CHECK_FALSE(untold.mispaired);
  check_suspects(untold, {2}, true);
}

TEST_CASE("who called something else is in the minority, also where that went through") {
  const auto check = [](const Dumps& dumps, int64_t seq, MatchState state) {
    const FlightReport report = merge_flights(dumps);
    check_stuck(report.stuck.at(0), "dp", seq, state, {0, 1, 2, 3}, {}, {2});
    check_suspects(report, {2}, true);
  };
  check(wrong_size(), 3, MatchState::kSizeOrSyntaxMismatch);
  check(wrong_dtype(), 3, MatchState::kCollectiveDtypeMismatch);
  check(wrong_op(), 3, MatchState::kCollectiveTypeMismatch);
  check(wrong_root(), 0, MatchState::kSizeOrSyntaxMismatch);
  CHECK(merge_flights(wrong_op()).sentence ==
        "Ranks disagree on dp #3: rank 2 has barrier where ranks 0, 1 and 3 have all_reduce of 8 float32 "
        "(gradients, bucket 0).");
  Dumps dumps = wrong_dtype();
  for (FlightDump& dump : dumps) {
    dump.entries.back().state = CollectiveState::kCompleted;
    dump.entries.back().time_discovered_completed_ns = dump.time_ns - 1;
  }
  const FlightReport report = merge_flights(dumps);
  CHECK(report.stuck.empty());
  check_stuck(report.mispaired.value(), "dp", 3, MatchState::kCollectiveDtypeMismatch, {0, 1, 2, 3}, {}, {2});
  check_suspects(report, {2}, true);
}

TEST_CASE("one batch more is a cycle whose lone rank is suspected; one against one cannot be told") {
  const FlightReport report = merge_flights(one_batch_more());
  REQUIRE(report.stuck.size() == 2);
  REQUIRE(report.cycle.size() == 2);
  CHECK(report.cycle[0].from == Ranks{3});
  CHECK(report.cycle[0].group == "dp");
  CHECK(report.cycle[0].seq == 45);
  CHECK(report.cycle[0].on == Ranks{0, 1, 2});
  CHECK(report.cycle[1].from == Ranks{0, 1, 2});
  CHECK(report.cycle[1].group == "default");
  CHECK(report.cycle[1].seq == 10);
  CHECK(report.cycle[1].on == Ranks{3});
  check_suspects(report, {3}, true);
  CHECK(report.sentence ==
        "Rank 3 waits in dp #45 for ranks 0, 1 and 2, which wait in default #10 for rank 3: a cycle of "
        "waits, in "
        "which rank 3 is alone.");
  const FlightReport alone = merge_flights(evaluates_alone());
  CHECK(alone.cycle.size() == 2);
  check_suspects(alone, {0}, true);
  check_suspects(merge_flights(two_in_a_circle()), {}, false);
  check_suspects(merge_flights(two_disagree()), {}, false);
  check_suspects(merge_flights(two_one_late()), {1}, false);
  CHECK(merge_flights(two_in_a_circle()).cycle.size() == 2);
  for (const Dumps& dumps : {two_in_a_circle(), two_disagree()})
    CHECK(merge_flights(dumps).sentence.find("as many on each side, so who is wrong cannot be told") !=
          std::string::npos);
  for (const Dumps& dumps : {two_in_a_circle(), two_disagree()})
    CHECK(merge_flights(dumps).possible == Ranks{0, 1});
  CHECK(report_text(merge_flights(two_disagree())).find("cannot be told: one of ranks 0 and 1") !=
        std::string::npos);
  CHECK(merge_flights(two_disagree()).stuck.at(0).disagreeing == Ranks{1});
}

TEST_CASE("of messages that are paired wrongly the end that left one out is named") {
  const auto report_where = [](int left_out_by, int64_t messages) {
    Scene scene(2, {"pp"});
    for (int64_t micro = 0; micro < messages; ++micro)
      for (const int rank : {0, 1}) {
        if (micro == 0 && rank == left_out_by) continue;
        const Op op = rank == 0 ? Op::kSend : Op::kRecv;
        FlightEntry& entry = scene.call(rank, "pp", {.op = op, .tag = "activations", .peer = 1 - rank});
        entry.unit = "micro " + std::to_string(micro);
        if (micro < messages - 1 || rank == left_out_by) scene.finish(entry);
      }
    return merge_flights(scene.end());
  };
  for (const int rank : {0, 1}) {
    const FlightReport report = report_where(rank, 4);
    CHECK(report.suspects == Ranks{rank});
    CHECK(report.grounds == Grounds::kHabit);
    REQUIRE(report.mispaired);
    CHECK(report.mispaired->call.p2p_seq_id == 0);
    const std::string call = rank == 0 ? "send" : "recv";
    CHECK(report.sentence.find("; rank " + std::to_string(rank) + " left out a " + call +
                               " of 8 float32 (activations, micro 0)") != std::string::npos);
  }
  // Where the end that is ahead has called one alone, and the other one that as well, both orders would do.
  Scene scene(2, {"pp"});
  for (const char* unit : {"micro 1", "micro 0"})
    scene.finish(scene.call(0, "pp", {.op = Op::kSend, .tag = "activations", .unit = unit, .peer = 1}));
  for (const char* unit : {"micro 0", "micro 1"})
    scene.finish(scene.call(1, "pp", {.op = Op::kRecv, .tag = "activations", .unit = unit, .peer = 0}));
  CHECK(merge_flights(scene.end()).possible == Ranks{0, 1});
}

TEST_CASE("a receive without its send names the two ends") {
  const FlightReport report = merge_flights(receives_once_too_often());
  REQUIRE(report.stuck.size() == 1);
  CHECK(report.stuck[0].call.op == Op::kRecv);
  CHECK(report.stuck[0].call.p2p_seq_id == 1);
  CHECK(report.stuck[0].in_it == Ranks{1});
  CHECK(report.stuck[0].missing == Ranks{0});
  check_suspects(report, {0}, false);

  const FlightReport both = merge_flights(both_send_first());
  REQUIRE(both.cycle.size() == 2);
  CHECK(both.cycle[0].group == "dp 0->1");
  CHECK(both.cycle[1].group == "dp 1->0");
  check_suspects(both, {}, false);

  Dumps sizes = receives_once_too_often();
  for (FlightDump& dump : sizes)
    for (FlightEntry& entry : dump.entries) entry.state = CollectiveState::kStarted;
  sizes[0].entries[0].elements_in = 9;
  const FlightReport mismatch = merge_flights(sizes);
  CHECK(mismatch.stuck.at(0).state == MatchState::kSizeOrSyntaxMismatch);
}

TEST_CASE("what a ring has forgotten was not left out; where nothing hangs nobody is suspected") {
  const FlightReport report = merge_flights(short_memory());
  check_stuck(report.stuck.at(0), "dp", 5, MatchState::kCollectiveStateMismatch, {0, 1, 3}, {2});
  check_stuck(report.stuck.at(1), "dp", 1, MatchState::kCollectiveStateMismatch, {0, 1, 2, 3}, {});
  check_suspects(report, {2}, true);
  Dumps nothing_left = one_late();  // rank 2 no longer holds anything of dp
  nothing_left[2].entries.clear();
  nothing_left[2].forgotten = 5;
  const FlightReport unsure = merge_flights(nothing_left);
  check_suspects(unsure, {2}, false);
  CHECK(unsure.sentence.find("a ring has forgotten all of that group") != std::string::npos);
  const FlightReport well = merge_flights(all_well());
  CHECK(well.stuck.empty());
  check_suspects(well, {}, false);
  CHECK(well.sentence == "Every collective that was begun is complete or about to be; nothing hangs.");
  check_suspects(merge_flights({}), {}, false);
  CHECK(merge_flights({}).sentence == "There are no dumps.");
}

TEST_CASE("where all agree calls hardly tell; the first group that broke knows more") {
  const FlightReport report = merge_flights(hangs_inside());
  check_stuck(report.stuck.at(0), "dp", 1, MatchState::kFullyMatched, {0, 1, 2, 3}, {});
  check_suspects(report, {}, false);
  CHECK(report.sentence.find("All ranks are in dp #1") == 0);
  check_suspects(merge_flights(one_stays_inside()), {2}, false);
  check_suspects(merge_flights(one_not_started()), {2}, false);
  Dumps discovered_late = one_stays_inside();  // its time is not up
  for (FlightDump& dump : discovered_late) dump.time_ns = 0;
  check_suspects(merge_flights(discovered_late), {}, false);
  Dumps broken = hangs_inside();
  for (FlightDump& dump : broken) dump.broken = {"dp", "timeout", {2}, "rank 2 did not come out"};
  const FlightReport told = merge_flights(broken);
  check_suspects(told, {2}, true);
  CHECK(told.sentence.find("Rank 2 did not come out: all ranks entered dp #1 all_reduce") == 0);
  Dumps lost = one_late();  // the calls alone say rank 2
  lost[1].broken = {"dp", "timeout", {2}, "later"};
  lost[0].broken = {"dp", "peer_lost", {1}, "rank 1 ended by an error"};
  lost[0].time_ns -= 1;
  check_suspects(merge_flights(lost), {1}, true);
  CHECK(merge_flights(lost).sentence == "Rank 1 ended by an error.");
  Dumps late = one_late();  // where calls do tell, they are believed
  late[0].broken = {"dp", "timeout", {0}, "rank 0 did not come"};
  check_suspects(merge_flights(late), {2}, true);
}

TEST_CASE("the end of a chain is the suspect; groups by one name, by none, and calls without an end") {
  const FlightReport report = merge_flights(a_chain());
  CHECK(report.stuck.size() == 2);
  CHECK(report.cycle.empty());
  // One against one in the group that it is missed in. Ranks 0 and 1 are not of it and have no vote.
  check_suspects(report, {2}, false);
  CHECK(report.sentence.find("as many on each side, so rank 2 may be late") != std::string::npos);
  CHECK(report.members == std::vector<Ranks>{{0, 1, 3}, {2, 3}});
  Scene scene(4, {"tp"});
  scene.together(kAll, "tp");
  scene.stuck({2}, "tp");
  for (FlightDump& dump : scene.dumps) dump.groups[0].ranks = dump.rank < 2 ? Ranks{0, 1} : Ranks{2, 3};
  const FlightReport two = merge_flights(scene.end());
  CHECK(two.groups == std::vector<std::string>{"tp [0, 1]", "tp [2, 3]"});
  check_stuck(two.stuck.at(0), "tp [2, 3]", 1, MatchState::kCollectiveStateMismatch, {2}, {3});
  Dumps dumps = one_late();
  for (FlightDump& dump : dumps) dump.groups.clear();
  const FlightReport undeclared = merge_flights(dumps);
  CHECK(undeclared.members == std::vector<Ranks>{{0, 1, 2, 3}});
  check_stuck(undeclared.stuck.at(0), "dp", 5, MatchState::kCollectiveStateMismatch, {0, 1, 3}, {2});
  check_suspects(undeclared, {2}, true);
  Dumps timeless = one_late();
  for (FlightDump& dump : timeless)
    for (FlightEntry& entry : dump.entries) entry.time_discovered_completed_ns = 0;
  CHECK(merge_flights(timeless).ranks[2].did_last ==
        "completed dp #4 all_reduce of 8 float32 (gradients, bucket 0)");
}

TEST_CASE("an uneven all-to-all agrees; a peer outside of its group, or a group of no dump, is survived") {
  Scene scene(2, {"dp"});
  scene.stuck({0, 1}, "dp", {.op = Op::kAllToAll});
  scene.dumps[0].entries[0].elements_in = 3;
  scene.dumps[0].entries[0].elements_out = 5;
  scene.dumps[1].entries[0].elements_in = 5;
  scene.dumps[1].entries[0].elements_out = 3;
  CHECK(merge_flights(scene.end()).stuck.at(0).state == MatchState::kFullyMatched);
  scene.dumps[1].entries[0].elements_out = 4;
  CHECK(merge_flights(scene.end()).stuck.at(0).state == MatchState::kSizeOrSyntaxMismatch);
  Dumps dumps = both_send_first();
  dumps[0].entries[0].peer = 77;
  dumps[1].entries[0].peer = -1;
  dumps[1].entries.push_back(dumps[1].entries[0]);
  dumps[1].entries.back().group = "unknown";
  dumps[1].entries.push_back({.record_id = 9, .group = "unknown", .state = CollectiveState::kCompleted});
  const FlightReport report = merge_flights(dumps);
  CHECK_FALSE(report_text(report).empty());
  CHECK_FALSE(report_json(report).empty());
}

TEST_CASE("a large world behind a long queue takes no time", "[long]") {
  std::vector<int> world;
  for (int rank = 0; rank < 20'000; ++rank) world.push_back(rank);
  FlightDump queue{.rank = 0, .groups = {{"dp", "", world}}, .entries = {}};
  FlightDump sends{.rank = 1, .groups = {{"dp", "", world}}, .entries = {}};
  for (int i = 0; i < 20'000; ++i) {
    queue.entries.push_back({.record_id = i, .group = "dp", .collective_seq_id = i, .op = Op::kAllReduce});
    sends.entries.push_back({.record_id = i, .group = "dp", .op = Op::kSend, .peer = i});
  }
  const FlightReport report = merge_flights({queue, sends});
  CHECK(report.stuck.size() == 20'000 + 1 + 200);
  CHECK(report.ranks.size() == 20'000);
  CHECK(report_text(report).size() < 4'000);
}
