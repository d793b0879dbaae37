// Hangs: what flight recorders' records say of a timeout.
#include <algorithm>

#include "drill.h"
#include "ringside/base/check.h"
#include "ringside/flight/report.h"

namespace ringside::inline kit {
namespace {

// Four ranks that have done `done` all-reduces in group dp; those that `calls` says have called one more, in
// which they wait.
std::vector<FlightDump> four_ranks(int64_t done, const std::vector<int>& calls,
                                   const std::vector<int>& other = {}) {
  std::vector<FlightDump> dumps;
  for (int rank = 0; rank < 4; ++rank) {
    FlightDump dump{.rank = rank,
                    .groups = {{"dp", "gradients", {0, 1, 2, 3}}, {"default", "evaluation", {0, 1, 2, 3}}},
                    .entries = {},
                    .time_ns = 2'000'000'000};
    const auto call = [&](const std::string& group, int64_t seq, Op op, bool ends) {
      FlightEntry entry{.record_id = int64_t(dump.entries.size()),
                        .group = group,
                        .collective_seq_id = seq,
                        .op = op,
                        .dtype = Dtype::kFloat32,
                        .elements_in = 8,
                        .elements_out = 8,
                        .tag = group == "dp" ? "gradients" : "evaluation",
                        .unit = "0"};
      entry.time_created_ns = entry.time_discovered_started_ns = 1000 * (entry.record_id + 1);
      entry.time_discovered_completed_ns = ends ? entry.time_created_ns + 10 : 0;
      entry.state = ends ? CollectiveState::kCompleted : CollectiveState::kStarted;
      entry.retired = ends;
      dump.entries.push_back(entry);
    };
    for (int64_t seq = 0; seq < done; ++seq) call("dp", seq, Op::kAllReduce, true);
    if (std::ranges::find(calls, rank) != calls.end()) call("dp", done, Op::kAllReduce, false);
    if (std::ranges::find(other, rank) != other.end()) call("default", 0, Op::kAllGather, false);
    dumps.push_back(std::move(dump));
  }
  return dumps;
}

std::string record_of(const FlightDump& dump) {
  std::string text = fmt::format("rank {}: ", dump.rank);
  const FlightEntry& last = dump.entries.back();
  for (size_t i = dump.entries.size() > 2 ? dump.entries.size() - 2 : 0; i < dump.entries.size(); ++i)
    text += fmt::format("{} #{} {}  ", dump.entries[i].group, dump.entries[i].collective_seq_id,
                        dump.entries[i].state == CollectiveState::kCompleted ? "completed" : "started");
  return text + (last.state == CollectiveState::kCompleted ? "and nothing more" : "");
}
std::string records(const std::vector<FlightDump>& dumps) {
  std::string text;
  for (const FlightDump& dump : dumps) text += "\n    " + record_of(dump);
  return text;
}

DrawnQuestion ask_missing(Draw& draw) {
  const auto gone = int(draw.between(0, 3));
  std::vector<int> calls{0, 1, 2, 3};
  std::erase(calls, gone);
  const std::vector<FlightDump> dumps = four_ranks(draw.between(3, 60), calls);
  const FlightReport report = merge_flights(dumps);
  const auto logger = int((gone + draw.between(1, 3)) % 4);
  RINGSIDE_CHECK(report.stuck.at(0).missing == std::vector<int>{gone}, report.sentence);
  return ask_choice(
      draw,
      fmt::format(
          "Four ranks, all in group dp. Rank {} logs a timeout. Their records end so: {}\n  Who is missing?",
          logger, records(dumps)),
      fmt::format("rank {}", gone),
      {{"who logs it", {fmt::format("rank {}", logger)}, "Who logs a timeout is in the call and waits."},
       {"another one that waits",
        {fmt::format("rank {}", (gone + ((logger - gone + 4) % 4 == 2 ? 1 : 2)) % 4)},
        "Its record shows the call."},
       {"nobody", {"nobody"}, "One record ends earlier than the others."}},
      "whose record lacks the number that the others wait in");
}

DrawnQuestion ask_cycle(Draw& draw) {
  const auto odd = int(draw.between(0, 3));
  std::vector<int> rest{0, 1, 2, 3};
  std::erase(rest, odd);
  const std::vector<FlightDump> dumps = four_ranks(draw.between(3, 60), {odd}, rest);
  const FlightReport report = merge_flights(dumps);
  RINGSIDE_CHECK(!report.cycle.empty() && report.suspects == std::vector<int>{odd}, report.sentence);
  return ask_choice(
      draw,
      fmt::format("Gradients go through dp, the evaluation through default. Records end so: {}\n  What is "
                  "the likeliest cause?",
                  records(dumps)),
      fmt::format("rank {} has a batch more", odd),
      {{"the network", {"a link between nodes broke"}, "Then all would wait in the same call."},
       {"the many are wrong",
        {fmt::format("rank {} has a batch less", odd)},
        "It still trains while the others evaluate: it has more."},
       {"out of memory", {fmt::format("rank {} was killed", odd)}, "It waits in a call: it lives."}},
      "two groups wait for each other: one rank trains on while the others evaluate");
}

DrawnQuestion ask_who_waits(Draw& draw) {
  const int64_t n = draw.pick({4, 8, 16, 64});
  const bool one = draw.pick({true, false});
  const std::string inside = "who is in it", outside = "who is not in it";
  return ask_choice(draw,
                    fmt::format("The dumps of all {} ranks are there. In {} of them the last call is an "
                                "all-reduce that has not ended. Who probably did otherwise?",
                                n, one ? 1 : n - 1),
                    one ? inside : outside,
                    {{"as in the other case",
                      {one ? outside : inside},
                      "Count who is in the call: the few are the odd ones."},
                     {"who logs the timeout",
                      {"who logs the timeout"},
                      "That is whose watchdog is first: any rank in the call."}},
                    "the minority, in the call or outside of it");
}

DrawnQuestion ask_group_numbers(Draw& draw) {
  const int64_t a = draw.between(100, 900), d = draw.between(1, 3), g = draw.pick({2, 4, 8});
  return ask_number(
      fmt::format("Last scheduled collective of dp: rank 0 has #{}, rank 1 #{}. A step has {} of them. How "
                  "many calls is rank 1 behind?",
                  a, a - d, g),
      "calls", double(d),
      {{"in steps", double(d) / double(g), "Numbers count collectives."},
       {"one more", double(d + 1), "Both are the last one scheduled."},
       {"times the calls of a step", double(d * g), "A number is one call."}},
      "the difference of the numbers");
}

DrawnQuestion ask_bytes_or_time(Draw& draw) {
  const double gb = draw.pick({1.868, 0.934, 0.467}), bw = draw.pick({450.0, 50.0, 12.5});
  return ask_number(fmt::format("An all-reduce of {:g} GB timed out after 600 s on 8 GPUs with {:g} GB/s "
                                "each. How many ms should it take at full speed?",
                                gb, bw),
                    "ms", 2 * 7.0 / 8 * gb / bw * 1e3,
                    {{"one pass", 7.0 / 8 * gb / bw * 1e3, "Reduce-scatter and all-gather: 2(N-1)/N."},
                     {"times the ranks", 8 * gb / bw * 1e3, "A ring's time hardly depends on N."},
                     {"bits for bytes", 16 * 7.0 / 8 * gb / bw * 1e3, "GB/s are bytes."}},
                    "2 (N-1)/N · bytes / bandwidth: a timeout is no question of bandwidth");
}

}  // namespace

std::vector<Drill> drills_of_hangs() {
  const std::string t = "hangs", lesson = "nccl_timeout", run = "ringside run nccl_timeout";
  return {
      {"missing", t, 1, lesson, "A", "ringside flight FOLDER", ask_missing,
       "Every collective of a group has a number. The others wait in one that the missing rank never called.",
       "Dumps of all ranks are needed: a log of one rank names a witness."},
      {"cycle", t, 3, lesson, "A", run, ask_cycle,
       "Each group alone is in order. Across the groups, some wait in dp for those that wait in default.",
       "Find out why the loop differs: uneven batches, an early stop, an exception that was caught."},
      {"who_waits", t, 2, lesson, "A", run, ask_who_waits,
       "If one of N is in the call, it went on alone; if N-1 are, the one outside stayed behind.",
       "It is a rule of thumb: the many may be wrong. The log does not tell: the first watchdog aborts, and "
       "the "
       "launcher ends the rest."},
      {"group_numbers", t, 1, lesson, "ours", run, ask_group_numbers,
       "Numbers count calls of a group, so the difference is calls.",
       "Completed numbers tell less: an all-reduce completes once all ranks are in it, so on one stream they "
       "differ by 1 at most."},
      {"bytes_or_time", t, 2, lesson, "A", run, ask_bytes_or_time,
       "At any bandwidth it takes milliseconds. 600 s is somebody who never came.",
       "So no smaller batch and no longer timeout mends it; find the missing rank."},
  };
}

}  // namespace ringside::inline kit
