// The last step of each rank, and what the times of lines of several files say.
#include <fmt/format.h>

#include "catch.h"
#include "ringside/autopsy/diagnosis.h"
#include "ringside/autopsy/files.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

// "iteration 1200/5000", "step 41", "" where the line is none of a step.
std::string last_step(const std::string& line) {
  const Log log = read_log(line + "\n", "a.log");
  if (log.steps.empty()) return "";
  const LoggedStep& step = log.steps.front();
  if (step.form == StepForm::kEpoch) return fmt::format("epoch {}", step.epoch);
  const char* form = step.form == StepForm::kBar    ? "bar"
                     : step.form == StepForm::kStep ? "step"
                                                    : "iteration";
  return fmt::format("{} {}", form, step.step) + (step.of > 0 ? fmt::format("/{}", step.of) : "");
}

int64_t event_ms(const std::string& text) {
  const Log log = read_log(text + "KeyError: 'x'\n", "a.log");
  REQUIRE(log.events.size() == 1);
  return log.events[0].time.ms;
}

std::string timeout_at(const std::string& clock, int rank) {
  return fmt::format(
      "[rank{}]:[E1126 {} ProcessGroupNCCL.cpp:632] [Rank {}] Watchdog caught collective operation timeout: "
      "WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600013 "
      "milliseconds\n",
      rank, clock, rank);
}
std::string error_at(const std::string& clock, int rank, const std::string& error) {
  return fmt::format("E1126 {} 7 x.py:1] starts\n[rank{}]: {}\n", clock, rank, error);
}

Diagnosis of_files(const std::string& a, const std::string& b) {
  const testing::TempFolder folder;
  folder.write("a.log", a);
  folder.write("b.log", b);
  std::istringstream nothing;
  return diagnose(read_case({folder.path.string()}, nothing), {});
}

bool says(const std::vector<Finding>& all, const std::string& part) {
  return std::ranges::any_of(
      all, [&](const Finding& one) { return one.sentence.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("lines of a step, in the forms of trainers") {
  const std::pair<std::string, std::string> kLines[] = {
      {"  9%|9    | 118/1000 [29:55<4:48:08, 61.2s/it]", "bar 118/1000"},
      {"  1%| | 1/9 [00:01<00:08]\r  9%|#| 2/9 [00:02<00:07,  1.00it/s]", "bar 2/9"},
      {"Epoch 1:  13%|#3 | 5/40 [00:10<01:00,  1.5it/s, v_num=3]", "bar 5/40"},
      {"Loading checkpoint shards:  50%|5 | 2/4 [00:10<00:10,  5.1s/it]", ""},
      {"Map (num_proc=8):  50%|5 | 2/4 [00:10<00:10, 5.1 examples/s]", ""},
      {" [2024-11-26 02:11:56] iteration     1200/    5000 | consumed samples: 9", "iteration 1200/5000"},
      {"[2024-11-26 02:11:56,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=118, skipped=0, lr=[1e-4]",
       "step 118"},
      {"{'loss': 1.5, 'grad_norm': 0.25, 'learning_rate': 1e-05, 'epoch': 0.125}", "epoch 0.125"},
      {"INFO step 41 loss 2.5", "step 41"},
      {"Step: 41/1000, loss 2.5", "step 41/1000"},
      {"step 300/12, loss 2.5", "step 300"},
      {"global_step 7: saved", "step 7"},
      {"warmup_steps: 500", ""},
      {"save_step=500", ""},
      {"0.5 s/step: 3", ""},
      {"time per step: 0.61", ""},
      {"step 3x", ""},
      {"step 99999999999999999999", ""},
      {"a step -4", ""},
      {"footstep 4", ""}};
  for (const auto& [line, step] : kLines) {
    INFO(line);
    CHECK(last_step(line) == step);
  }
}

TEST_CASE("the last step is said, and who is behind it") {
  std::string log;
  for (const int rank : {0, 1, 2, 3})
    for (int step = 117; step <= (rank == 3 ? 118 : 120); ++step)
      log += fmt::format("[rank{}]: step {} loss 1\n", rank, step);
  for (const int rank : {0, 1, 2}) log += timeout_at("02:11:56.123456", rank);
  const Diagnosis said = autopsy(log);
  CHECK(says(said.waits,
             "The last line of a step of ranks 0, 1 and 2 is of step 120, that of rank 3 of step 118"));
  CHECK(said.first[0].ranks == std::vector<int>{3});
  REQUIRE(said.first[0].evidence.size() == 3);
  CHECK(said.first[0].evidence[2].text == "[rank3]: step 118 loss 1");
  CHECK(said.first[0].evidence[2].place == "log:14");
  // One rank writes for all.
  const Diagnosis one = autopsy(" 12%|#| 118/1000 [29:55<4:48:08, 61.2s/it]\n" + timeout_at("02:11:56.1", 0));
  CHECK(says(one.waits, "The last line of a step is of step 118 of 1,000"));
  // Steps of two forms are not compared.
  const Diagnosis two =
      autopsy("[rank0]: step 5\n[rank1]: step 5\n[rank2]:  1%| | 9/900 [00:01<00:08, 1.0it/s]\n");
  CHECK(says(two.waits, "The last line of a step of ranks 0 and 1 is of step 5"));
  CHECK_FALSE(says(two.waits, "rank 2"));
}

TEST_CASE("of lines without a rank the files are named, with their folders where names stand twice") {
  const testing::TempFolder folder;
  for (const std::string rank : {"0", "1", "2"}) {
    std::filesystem::create_directory(folder.path / rank);
    folder.write(rank + "/stderr.log", rank == "2" ? "step 4\n" : "step 5\n");
  }
  std::istringstream nothing;
  const CaseFiles files = read_case(
      {folder.file("0/stderr.log"), folder.file("1/stderr.log"), folder.file("2/stderr.log")}, nothing);
  CHECK(says(
      diagnose(files, {}).waits,
      "The last line of a step of 0/stderr.log, 1/stderr.log is of step 5, that of 2/stderr.log of step 4"));
}

TEST_CASE("steps of very many streams are bounded") {
  std::string log;
  for (int rank = 0; rank < 6000; ++rank) log += fmt::format("[rank{}]: step 4\n", rank);
  CHECK(read_log(log, "a").steps.size() == 4096);
}

TEST_CASE("the time of a line, in the forms of clocks") {
  const int64_t at = event_ms("2024-11-26T02:11:56.500Z stderr F ");
  CHECK(at == 1'732'587'116'500);
  CHECK(event_ms("2024-11-26 02:11:56,500 ERROR\n") == at);
  CHECK(event_ms("[2024-11-26 02:11:56,500] x\n") == at);
  CHECK(event_ms("2024/11/26 02:11:56 x\n") == at - 500);
  CHECK(event_ms("2024-11-26T10:11:56.500+08:00 stderr F ") == at);
  CHECK(event_ms("2024-11-26T01:11:56.5-01:00 x\n") == at);
  CHECK(event_ms("slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2024-11-26T02:11:56 ***\n") == at - 500);
  // The year of glog is that of another line, or the one beside it.
  const Log log = read_log(
      "[rank0]:[E1126 02:11:56.500 a.cpp:1] x\nKeyError: 'x'\n2024-11-27 00:00:00 x\nKeyError: 'y'\n", "a");
  CHECK(log.events[0].time.ms == at);
  const Log new_year =
      read_log("E1231 23:59:59.0 7 a.py:1] x\nKeyError: 'x'\n2025-01-01 00:00:01 x\nKeyError: 'y'\n", "a");
  CHECK(new_year.events[1].time.ms - new_year.events[0].time.ms == 2000);
  for (const std::string none :
       {"29:55<4:48:08", "2024-13-26 02:11:56", "2024-11-26 25:11:56", "E1131 02:11:56", "02:11:56"})
    CHECK(event_ms(none + " x\n") == -1);
}

TEST_CASE("events of two files are ordered by their times, which is never certain") {
  const std::string lost = "ValueError: no batch came", key = "KeyError: 'x'";
  // Behind the timeouts by its time: it follows from them.
  Diagnosis said =
      of_files(timeout_at("02:11:56.123", 0) + timeout_at("02:11:56.200", 1), error_at("02:12:20.0", 2, key));
  CHECK(said.first[0].cause == Cause::kAbsent);
  said = of_files(error_at("02:01:56.0", 2, key), timeout_at("02:11:56.123", 0));
  CHECK(said.first[0].cause == Cause::kException);
  CHECK(said.first[0].sure == Sure::kLikely);
  CHECK(says(said.first, "600.1 s before the first timeout, if the hosts' clocks agree"));
  // The later file has the earlier failure.
  said = of_files(error_at("02:12:00.0", 0, lost), error_at("02:11:50.0", 3, key));
  REQUIRE(said.first.size() == 1);
  CHECK(said.first[0].ranks == std::vector<int>{3});
  CHECK(said.first[0].sure == Sure::kLikely);
  CHECK(says(said.first, "10.0 s before what befell rank 0"));
  // Closer than clocks of two hosts agree.
  said = of_files(error_at("02:11:50.0", 0, lost), error_at("02:11:50.4", 3, key));
  REQUIRE(said.first.size() == 2);
  CHECK(said.first[0].sure == Sure::kCannotBeTold);
  CHECK(says(said.first, "0.4 s later, which the clocks of two hosts do not settle"));
  // A zone that is said and one that is not are not compared.
  said = of_files("2024-11-26T02:12:00Z [rank0]: " + lost + "\n",
                  "2024-11-26 02:11:00,0 x\n[rank3]: " + key + "\n");
  CHECK(said.first[0].ranks == std::vector<int>{0});
  CHECK_FALSE(says(said.first, "by the times"));
  // A launcher tells of a kill before the others fail.
  said = of_files(
      error_at("02:12:00.0", 0, lost),
      "E1126 02:11:50.0 7 api.py:869] failed (exitcode: -9) local_rank: 1 (pid: 7) of binary: python\n");
  CHECK(said.first[0].cause == Cause::kKilled);
}
