// What befalls processes: each survivor ends typed and names the right rank, and none is left.
#include <catch.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "check_text.h"
#include "patience.h"
#include "ringside/base/clock.h"
#include "ringside/launch/launcher.h"
#include "ringside/launch/stream.h"
#include "ringside/processes/join.h"
#include "tested_transports.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int kRanks = 4;
constexpr int kLostCode = 5, kLateCode = 6;

struct Word {
  int64_t time_ns = 0;
  std::string value;
};
struct Ended {
  int code = -1;
  std::map<std::string, Word> said;
  std::string text;
};

struct Plan {
  std::string moment = "none", how = "none";
  int victim = -1;
  std::chrono::milliseconds timeout = std::chrono::seconds(20);
  std::string transport = "sockets";
};

// Four processes of loop_rank; a victim that stands still is ended when the others have.
class Run {
 public:
  explicit Run(const Plan& plan)
      : plan_(plan),
        listening_(listen_at("127.0.0.1", 0)),
        ends_(kRanks),
        launcher_([this](size_t rank, const std::string& line) { hear(rank, line); }) {
    for (int rank = 0; rank < kRanks; ++rank) start(rank);
    listening_.close();
    const bool over =
        launcher_.watch(now_ns() + std::chrono::nanoseconds(kPatience).count(), [&] { return note(); });
    REQUIRE(over);
    launcher_.watch(now_ns(), [] { return true; });  // takes what they wrote last
    for (size_t rank = 0; rank < kRanks; ++rank) ends_[rank].text = launcher_.last_words(rank);
  }
  const Ended& operator[](int rank) const { return ends_[static_cast<size_t>(rank)]; }
  // Milliseconds from the fall to each survivor's error, in order.
  std::vector<double> ms() const {
    std::vector<double> times;
    for (int rank = 0; rank < kRanks; ++rank)
      if (rank != plan_.victim && (*this)[rank].said.contains("blames"))
        times.push_back(static_cast<double>((*this)[rank].said.at("blames").time_ns -
                                            (*this)[plan_.victim].said.at("falls").time_ns) *
                        1e-6);
    std::sort(times.begin(), times.end());
    return times;
  }

 private:
  void start(int rank) {
    ProcessSetting setting{.environment = {{"RANK", std::to_string(rank)},
                                           {"WORLD_SIZE", std::to_string(kRanks)},
                                           {"MASTER_ADDR", "127.0.0.1"},
                                           {"MASTER_PORT", std::to_string(port_of(listening_))},
                                           {"RINGSIDE_TRANSPORT", plan_.transport}}};
    if (rank == 0) {
      setting.environment["RINGSIDE_STORE_SOCKET"] = std::to_string(kGivenDescriptor);
      setting.descriptor = listening_.number();
    }
    const std::string program =
        (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "loop_rank").string();
    launcher_.let_go(launcher_.start("rank " + std::to_string(rank),
                                     {program, plan_.moment, plan_.how, std::to_string(plan_.victim),
                                      std::to_string(plan_.timeout.count())},
                                     setting));
  }
  void hear(size_t rank, const std::string& line) {
    std::istringstream words(line);
    std::string word;
    Word known;
    if (!(words >> word >> known.time_ns)) return;  // more lines of an error
    std::getline(words >> std::ws, known.value);
    ends_[rank].said[word] = known;
  }
  bool note() {
    int left = 0;
    for (size_t rank = 0; rank < kRanks; ++rank) {
      if (ends_[rank].code >= 0) continue;
      if (launcher_.runs(rank)) {
        ++left;
        continue;
      }
      ends_[rank].code = launcher_.exit_code(rank);
    }
    if (left == 1 && plan_.how == "stop" && ends_[static_cast<size_t>(plan_.victim)].code < 0)
      launcher_.kill(static_cast<size_t>(plan_.victim));
    return left == 0;
  }

  const Plan plan_;
  Descriptor listening_;
  std::vector<Ended> ends_;  // (rank)
  Launcher launcher_;
};

void check_survivors(const Plan& plan, int code) {
  CAPTURE(plan.moment, plan.how, plan.victim, plan.transport);
  const Run run(plan);
  const std::string name = std::to_string(plan.victim);
  for (int rank = 0; rank < kRanks; ++rank) {
    if (rank == plan.victim) continue;
    CAPTURE(rank, run[rank].text);
    CHECK(run[rank].code == code);
    if (run[rank].said.contains("blames")) CHECK(run[rank].said.at("blames").value == name);
    CHECK(lacks(run[rank].text, {"rank " + name}) == "");
  }
}

}  // namespace

TEST_CASE("processes: without a fault all end well, and each has what all recorded") {
  for (const std::string& transport : tested_transports()) {
    CAPTURE(transport);
    const Run run({.transport = transport});
    for (int rank = 0; rank < kRanks; ++rank) {
      CAPTURE(rank, run[rank].text);
      CHECK(run[rank].code == 0);
      CHECK(run[rank].said.at("spans").value == "40 40 40 40 ");
    }
  }
}

TEST_CASE("processes: a rank that is killed, at whatever moment, is named by all others") {
  for (const char* moment : {"joined", "step", "evaluation", "end"})
    for (int victim = 0; victim < kRanks; ++victim) check_survivors({moment, "kill", victim}, kLostCode);
}

TEST_CASE("processes: a rank that never comes is named at the deadline") {
  for (const int victim : {0, 2})
    check_survivors({"start", "kill", victim, std::chrono::milliseconds(700)}, kLateCode);
}

TEST_CASE("processes: a rank that stands still is named at the deadline") {
  for (const char* moment : {"step", "evaluation"})
    check_survivors({moment, "stop", 1, std::chrono::milliseconds(700)}, kLateCode);
}

// It keeps the store, which the others ask and leave at their end. What they recorded stays with it.
TEST_CASE("processes: a rank 0 that stands still is not waited for again, and alone called lost") {
  const Run run({"step", "stop", 0, std::chrono::milliseconds(700)});
  for (int rank = 1; rank < kRanks; ++rank) {
    CAPTURE(rank, run[rank].text);
    CHECK(run[rank].code == kLateCode);
    CHECK(run[rank].text.find("are gone") == std::string::npos);
    CHECK(run[rank].said.at("ends").time_ns - run[0].said.at("falls").time_ns < 5'000'000'000);
  }
}

TEST_CASE("processes: a rank that leaves, closes its sockets or throws is named by all others") {
  for (const char* how : {"leave", "close", "throw"}) check_survivors({"step", how, 2}, kLostCode);
}

TEST_CASE("processes: over Gloo too") {
  const std::vector<std::string> there = tested_transports();
  if (std::find(there.begin(), there.end(), "gloo") == there.end()) return;
  for (const char* moment : {"step", "end"})
    check_survivors({moment, "kill", 2, std::chrono::seconds(20), "gloo"}, kLostCode);
}

TEST_CASE("processes: survivors have what all had recorded that can still say it") {
  const Run run({"step", "kill", 3});
  for (int rank = 0; rank < 3; ++rank) {
    std::istringstream spans(run[rank].said.at("spans").value);
    std::vector<int> counts(kRanks);
    for (int& count : counts) spans >> count;
    CAPTURE(rank, run[rank].said.at("spans").value);
    for (int other = 0; other < 3; ++other) CHECK(counts[static_cast<size_t>(other)] >= 20);
    CHECK(counts[3] == 0);
    // The merged report of the flight recorders, this rank's and the others'.
    CHECK(lacks(run[rank].text, {"Flight recorder, 4 ranks", "dp #", "Rank 3 is gone and left no dump"}) ==
          "");
  }
}

// By hand: how long survivors take. `processes_test "[.times]"`
TEST_CASE("processes: times from the fall to the error", "[.times]") {
  for (const std::string& transport : tested_transports())
    for (const char* moment : {"joined", "step", "evaluation", "end"}) {
      std::vector<double> all;
      for (int round = 0; round < 20; ++round) {
        const Run run({moment, "kill", round % kRanks, std::chrono::seconds(20), transport});
        const std::vector<double> times = run.ms();
        all.insert(all.end(), times.begin(), times.end());
      }
      std::sort(all.begin(), all.end());
      if (all.empty()) continue;
      std::printf("%s, killed at %s: median %.1f ms, last %.1f ms of %zu\n", transport.c_str(), moment,
                  all[all.size() / 2], all.back(), all.size());
    }
  const std::chrono::milliseconds timeout(2000);
  const Run run({"step", "stop", 1, timeout});
  for (const double ms : run.ms()) std::printf("stopped, deadline 2000 ms: %.0f ms\n", ms);
}
