// Parameter servers: keys, clocks, copies, stragglers.
#include <algorithm>

#include "drill.h"
#include "ringside/parameter_server/cluster.h"

namespace ringside::inline kit {
namespace {

DrawnQuestion ask_key_range(Draw& draw) {
  const uint64_t keys = uint64_t(draw.between(50, 400)) * 10 + 3;
  const uint32_t count = draw.pick({4U, 5U, 6U, 8U});
  ps::Cluster cluster;
  cluster.groups.resize(1);
  cluster.groups[0].begin = 0;
  cluster.groups[0].end = keys;
  cluster.ranges = count;
  const std::vector<ps::KeyRange> ranges = ps::ranges_of(cluster);
  const auto place = size_t(draw.between(1, count - 1));
  const uint64_t key = ranges[place].begin - uint64_t(draw.between(0, 1));
  const auto owner = std::ranges::find_if(
      ranges, [&](const ps::KeyRange& one) { return key >= one.begin && key < one.end; });
  const auto right = int64_t(owner - ranges.begin());
  const auto next = int64_t(key % count), near = key == ranges[place].begin ? right - 1 : right + 1;
  return ask_choice(draw,
                    fmt::format("Keys 0 to {} are cut into {} ranges, range i = [i K / R, (i+1) K / R) in "
                                "whole numbers. In which range is key {}?",
                                keys - 1, count, key),
                    fmt::format("range {}", right),
                    {{"off by one at the border",
                      {fmt::format("range {}", near)},
                      "A range has its begin and not its end."},
                     {"modulo", {fmt::format("range {}", next)}, "Neighbouring keys lie together."}},
                    "the range whose begin is at most the key and whose end is above it");
}

DrawnQuestion ask_staleness(Draw& draw) {
  const int64_t s = draw.between(1, 6), slowest = draw.between(3, 20);
  return ask_number(
      fmt::format("Stale synchronous parallel: a worker may begin its clock c (from 0) once the slowest has "
                  "finished c - s clocks. s = {}, the slowest has finished {}. Which is the last clock that "
                  "the fastest may begin?",
                  s, slowest),
      "", double(slowest + s),
      {{"one too early", double(slowest + s - 1), "c - s = finished is still allowed."},
       {"lock-step", double(slowest), "That is s = 0."},
       {"one too many", double(slowest + s + 1), "Then c - s would be one more than is finished."}},
      "finished + s");
}

DrawnQuestion ask_backups(Draw& draw) {
  const int64_t k = draw.pick({1, 2, 3}), servers = draw.pick({6, 8, 10});
  return ask_number(
      fmt::format("{} servers, each range on a chain of a head and {} backups; nothing is copied meanwhile. "
                  "How many servers can die without anything acknowledged being lost, whichever they are?",
                  servers, k),
      "servers", double(k),
      {{"the last copy too", double(k + 1), "Then all holders of some range may be dead."},
       {"all but one", double(servers - 1), "Each range has k + 1 holders only."},
       {"half", double(servers / 2), "That is a quorum's rule."}},
      "k: one holder of every range lives");
}

DrawnQuestion ask_straggler(Draw& draw) {
  const int64_t w = draw.pick({4, 8, 16}), factor = draw.pick({2, 3, 4});
  const double right = 100.0 * double((w - 1) * (factor - 1)) / double(w * factor);
  return ask_number(
      fmt::format("{} workers in lock-step, one takes {} times as long as the others. Which share of all "
                  "workers' time is idle, in %?",
                  w, factor),
      "%", right,
      {{"of the others alone", 100.0 * double(factor - 1) / double(factor), "The slow one does not wait."},
       {"the slow one's share", 100.0 / double(w), "It is who is waited for."}},
      "(W-1)(k-1) of W k units");
}

DrawnQuestion ask_async_speed(Draw& draw) {
  const int64_t w = draw.pick({4, 8}), factor = draw.pick({2, 4});
  const double right = (double(w - 1) + 1.0 / double(factor)) * double(factor) / double(w);
  return ask_number(
      fmt::format("{} workers, one {} times as slow. How many times as many gradients a second "
                  "come without any waiting as in lock-step?",
                  w, factor),
      "times", right,
      {{"the factor", double(factor), "The slow worker is slow in both."},
       {"no gain", 1, "The fast ones no longer wait."},
       {"the slow one left out", double((w - 1) * factor) / double(w), "It still contributes 1/k."}},
      "(W - 1 + 1/k) against W/k");
}

DrawnQuestion ask_server_traffic(Draw& draw) {
  const int64_t w = draw.pick({8, 16, 32}), s = draw.pick({2, 4});
  const double gb = draw.pick({1.0, 4.0, 14.0}), right = double(w) / double(s) * gb;
  return ask_number(
      fmt::format("{} workers push gradients of {:g} GB to {} servers in each step. How many GB does one "
                  "server receive?",
                  w, gb, s),
      "GB", right,
      {{"one worker's", gb / double(s), "Every worker pushes its part to every server."},
       {"all of it", double(w) * gb, "Keys are spread over servers."},
       {"as a ring", 2 * gb, "A ring's traffic does not grow with W; a server's does."}},
      "W / S of the model");
}

DrawnQuestion ask_delay(Draw& draw) {
  const int64_t w = draw.pick({4, 8, 16, 32});
  return ask_number(
      fmt::format("{} equal workers, asynchronous SGD, one server. How many updates of others "
                  "come, on average, between a worker's pull and its push?",
                  w),
      "updates", double(w - 1),
      {{"none", 0, "Each other worker pushes once meanwhile."},
       {"half of them", double(w - 1) / 2, "In the time of one round each other one pushes once."},
       {"two rounds", 2.0 * double(w - 1), "One gradient's time is one round."}},
      "W - 1");
}

}  // namespace

std::vector<Drill> drills_of_servers() {
  const std::string t = "servers", lesson = "parameter_server", osdi = "Li et al., OSDI 2014",
                    run = "ringside run parameter_server";
  return {
      {"key_range", t, 1, lesson, osdi, run, ask_key_range,
       "Ranges are half-open and sorted: search the last begin that is at most the key.",
       "Consistent hashing moves only the ranges beside a server that comes or goes."},
      {"staleness", t, 3, lesson, "Ho et al., NIPS 2013", run, ask_staleness,
       "The rule bounds how far apart workers are: nobody begins a clock more than s ahead of what the "
       "slowest has finished.",
       "Staleness buys speed per second and pays in progress per update: compare time to loss."},
      {"backups", t, 1, lesson, osdi, run, ask_backups,
       "Each range has k + 1 holders. Of any k dead ones, one holder of each range lives.",
       "Only what was acknowledged behind the last copy counts; ps-lite has no copies at all."},
      {"straggler", t, 2, lesson, osdi, run, ask_straggler,
       "A step takes k units. W - 1 workers compute one of them and wait for k - 1.",
       "Backup workers drop the slowest gradients: lock-step without its tail."},
      {"async_speed", t, 3, lesson, "arXiv:1604.00981", run, ask_async_speed,
       "Lock-step: W gradients in k units. Without waiting: W - 1 and 1/k in one unit.",
       "Gradients are stale then: more of them may be needed."},
      {"server_traffic", t, 2, lesson, osdi, run, ask_server_traffic,
       "Each server holds 1/S of the keys, and every worker pushes that part.",
       "With W servers each machine sends about half of a ring's bytes, on twice as many machines. With a "
       "server on each worker's machine it is a ring's bytes."},
      {"delay", t, 2, lesson, "a common belief", run, ask_delay,
       "While a worker computes one gradient, each of the others finishes one.",
       "Scale the learning rate by the staleness, or bound it."},
  };
}

}  // namespace ringside::inline kit
