// What is said of a job, with the evidence under it.
#include <fmt/format.h>

#include <functional>

#include "catch.h"
#include "counted_heap.h"
#include "flight_dumps.h"
#include "ringside/autopsy/diagnosis.h"
#include "ringside/autopsy/files.h"
#include "ringside/base/error.h"
#include "ringside/base/field.h"
#include "ringside/base/source_tree.h"
#include "ringside/flight/files.h"
#include "sanitized.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

std::string timeout(int rank, const std::string& call, const std::string& group = "") {
  std::string text = fmt::format(
      "[rank{}]:[E ProcessGroupNCCL.cpp:607] [Rank {}] Watchdog caught collective operation timeout: "
      "WorkNCCL({}, Timeout(ms)=600000) ran for 600013 milliseconds before timing out.\n",
      rank, rank, call);
  if (!group.empty())
    text += fmt::format(
        "[rank{}]:[E] [PG {} Rank {}] Timeout at NCCL work: {}, last enqueued NCCL work: 99, last completed "
        "NCCL work: 1.\n",
        rank, group, rank, call.substr(7, call.find(',') - 7));
  return text;
}
const std::string kSum = "SeqNum=5, OpType=ALLREDUCE, NumelIn=8, NumelOut=8";

std::string models() { return (assets() / "models").string(); }

}  // namespace

TEST_CASE("a rank that failed before the others timed out stopped first") {
  const std::string oom =
      "[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";
  const Diagnosis before = autopsy(oom + timeout(0, kSum) + timeout(1, kSum));
  REQUIRE(before.first.size() == 1);
  CHECK(before.first[0].cause == Cause::kOutOfMemory);
  CHECK(before.first[0].sure == Sure::kCertain);
  CHECK(before.first[0].ranks == std::vector<int>{2});
  CHECK(before.first[0].evidence[0].place == "log:1");
  // Behind the timeouts: logs that were joined, or a rank that was late. The rank never waited.
  const Diagnosis behind = autopsy(timeout(0, kSum) + timeout(1, kSum) + oom);
  CHECK(behind.first[0].sure == Sure::kLikely);
  CHECK(behind.first[0].ranks == std::vector<int>{2});
  // What a lost peer leaves may follow from the timeouts.
  const std::string lost = "[rank2]: RuntimeError: Connection closed by peer\n";
  CHECK(autopsy(timeout(0, kSum) + timeout(1, kSum) + lost).first.front().sure == Sure::kCannotBeTold);
  // Where two ranks failed alike, either may be the first.
  const std::string two = oom + "[rank1]: torch.OutOfMemoryError: CUDA out of memory.\n";
  CHECK(autopsy(two + timeout(0, kSum)).first[0].ranks == std::vector<int>{1, 2});
  CHECK(autopsy(two + timeout(0, kSum)).first[0].sure == Sure::kLikely);
  const std::string bus = "  rank      : 2 (local_rank: 2)\n  exitcode  : -7 (pid: 7)\n";
  const Finding crash = autopsy(bus + timeout(0, kSum) + timeout(1, kSum)).first[0];
  CHECK(std::pair(crash.cause, crash.ranks) == std::pair(Cause::kCrash, std::vector<int>{2}));
  CHECK_THAT(crash.sentence, ContainsSubstring("(/dev/shm)"));
}

TEST_CASE("one number, two calls: certain with the group's name, likely without") {
  const std::string other = "SeqNum=5, OpType=BROADCAST, NumelIn=1, NumelOut=1";
  Diagnosis said = autopsy(timeout(0, kSum, "0") + timeout(1, kSum, "0") + timeout(2, other, "0"));
  CHECK(said.first.size() == 1);
  CHECK(said.first[0].cause == Cause::kOtherCall);
  CHECK(said.first[0].sure == Sure::kCertain);
  CHECK(said.first[0].ranks == std::vector<int>{2});
  said = autopsy(timeout(0, kSum) + timeout(1, kSum) + timeout(2, other));
  CHECK(said.first[0].sure == Sure::kLikely);
  // Groups of their own have numbers of their own.
  said = autopsy(timeout(0, kSum, "1") + timeout(1, other, "2"));
  CHECK(said.first.front().sure == Sure::kCannotBeTold);
  const std::string longer = "SeqNum=5, OpType=ALLREDUCE, NumelIn=9, NumelOut=9";
  CHECK(autopsy(timeout(0, kSum, "0") + timeout(1, longer, "0")).first[0].cause == Cause::kOtherSize);
  const std::string all_to_all = "SeqNum=5, OpType=ALLTOALL_BASE, NumelIn=9, NumelOut=7";
  CHECK(autopsy(timeout(0, all_to_all, "0") +
                timeout(1, "SeqNum=5, OpType=ALLTOALL_BASE, NumelIn=7, NumelOut=9", "0"))
            .first.front()
            .sure == Sure::kCannotBeTold);
  // One against one: neither is blamed. Without a group's name other numbers may be another group's.
  CHECK(autopsy(timeout(0, kSum, "0") + timeout(1, longer, "0")).first[0].ranks.empty());
  const std::string ninth = "SeqNum=9, OpType=BROADCAST, NumelIn=1, NumelOut=1";
  said = autopsy(timeout(0, kSum) + timeout(1, kSum) + timeout(2, ninth));
  CHECK(said.first.front().cause == Cause::kAbsent);
  CHECK(said.first.front().sure == Sure::kCannotBeTold);
}

TEST_CASE("two causes that cannot be told apart are both named") {
  const std::string speaks = "[rank3]: step 41\n";
  const Diagnosis said = autopsy(speaks + timeout(0, kSum) + timeout(1, kSum) + timeout(2, kSum));
  REQUIRE(said.first.size() == 3);
  CHECK(said.first[0].cause == Cause::kAbsent);
  CHECK(said.first[0].ranks == std::vector<int>{3});
  CHECK(said.first[1].cause == Cause::kTransport);
  CHECK(said.settle[0].find("TORCH_NCCL_TRACE_BUFFER_SIZE=2000") == 0);  // its line is that of 2.4
  CHECK(said.no_help[0].find("a longer timeout than 600 s") == 0);
  // Seven of eight timed out: the eighth is likely not in the call.
  std::string seven = "[rank7]: step 41\n";
  for (int rank = 0; rank < 7; ++rank) seven += timeout(rank, kSum);
  CHECK(autopsy(seven).first[0].sure == Sure::kLikely);
  CHECK(autopsy(seven).first[0].ranks == std::vector<int>{7});
  CHECK(autopsy(seven.substr(seven.find('\n') + 1)).first[0].sure ==
        Sure::kCannotBeTold);  // no line of rank 7
  // Where every rank of the group is in the call, nobody is absent from it.
  const std::string gather = "SeqNum=5, OpType=_ALLGATHER_BASE, NumelIn=8, NumelOut=24";
  const Diagnosis all = autopsy(timeout(0, gather) + timeout(1, gather) + timeout(2, gather));
  CHECK(all.first.size() == 2);
  CHECK(all.first[0].cause == Cause::kTransport);
}

TEST_CASE("a rank that its launcher had to end did not fail, and came to no call") {
  const std::string call =
      ": RuntimeError: [gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 8000ms for recv operation "
      "to complete\n";
  const std::string end = "  rank      : 2 (local_rank: 2)\n  exitcode  : -15 (pid: 7)\n";
  const Diagnosis said = autopsy("[rank0]" + call + "[rank1]" + call + end);
  CHECK(said.first.size() == 1);
  CHECK(said.first[0].sure == Sure::kLikely);
  CHECK(said.first[0].ranks == std::vector<int>{2});
  CHECK(autopsy("[rank0]" + call + "[rank1]" + call).first[0].sure == Sure::kCannotBeTold);
  CHECK(autopsy(timeout(0, kSum) + timeout(1, kSum) + end).first[0].sure == Sure::kLikely);
}

TEST_CASE(
    "who does not come: not one that was busy before it waited; the last one too where the size is known") {
  const std::string busy = "[rank{}]: INFO Saving checkpoint to step-4\n";
  const std::string waits = timeout(0, kSum) + timeout(1, kSum) + timeout(3, kSum) + timeout(4, kSum);
  CHECK(autopsy(fmt::format(fmt::runtime(busy), 2) + waits).first.front().cause == Cause::kBusy);
  const Finding first =
      autopsy("[rank2]: INFO hello\n" + fmt::format(fmt::runtime(busy), 0) + waits).first.front();
  CHECK(std::pair(first.cause, first.ranks) == std::pair(Cause::kAbsent, std::vector<int>{2}));
  const std::string sized = "NCCL INFO comm 0x7f rank 0 nranks 4 cudaDev 0 - Init COMPLETE\n";
  const std::string three = timeout(0, kSum) + timeout(1, kSum) + timeout(2, kSum);
  CHECK(autopsy(sized + three).first.front().ranks == std::vector<int>{3});
  CHECK(autopsy(three).first.front().ranks.empty());
  // Work that begins more than 20 lines behind the first timeout, which is line 1, explains no wait.
  const auto begins_in_line = [&](size_t line) {
    return autopsy(waits + std::string(line - 5, '\n') + fmt::format(fmt::runtime(busy), 2))
        .first.front()
        .cause;
  };
  CHECK(begins_in_line(21) == Cause::kBusy);
  CHECK(begins_in_line(22) == Cause::kAbsent);
}

TEST_CASE("what a call carries: with the model's configuration as in the lesson, without it a shortlist") {
  const std::string bucket =
      timeout(6, "SeqNum=56731, OpType=ALLREDUCE, NumelIn=467019003, NumelOut=467019003");
  const auto carried = [&](const std::string& log, const std::string& model) {
    AutopsyOptions options;
    (model.empty() ? options.models_folder : options.settings.model_config) =
        model.empty() ? models() : models() + "/" + model;
    std::string all;
    for (const Finding& finding : autopsy(log, options).carries) all += finding.sentence + "\n";
    return all;
  };
  CHECK(carried(bucket, "qwen2_5_vl_7b.json")
            .find("head 899,835 + final norm 3,584 + layer 27 233,057,792 + layer 26 233,057,792 "
                  "(a head of 251 classes with bias): the first gradient bucket") != std::string::npos);
  CHECK(carried(bucket, "").find("qwen2_5_vl_7b: ") != std::string::npos);
  const std::string head =
      timeout(0, "SeqNum=7753, OpType=_REDUCE_SCATTER_BASE, NumelIn=544997376, NumelOut=68124672");
  const std::string words = carried(head, "qwen2_vl_7b.json");
  CHECK(words.find("544,997,376 elements = lm_head.weight") != std::string::npos);
  CHECK(words.find("the group has 8 ranks") != std::string::npos);
  CHECK(carried(head, "").find("qwen2_vl_7b: lm_head.weight") != std::string::npos);
  CHECK(carried(timeout(0, "SeqNum=9, OpType=_ALLGATHER_BASE, NumelIn=29132224, NumelOut=233057792"),
                "qwen2_5_7b.json")
            .find("one whole layer, as layer 0: 28 are alike") != std::string::npos);
  CHECK(carried(timeout(0, "SeqNum=2, OpType=ALLREDUCE, NumelIn=1, NumelOut=1"), "")
            .find("no tensor of a model") != std::string::npos);
}

TEST_CASE("dumps, logs and what cannot be read, side by side") {
  const testing::TempFolder folder;
  for (const int rank : {0, 1, 2})
    folder.write("nccl_trace_rank_" + std::to_string(rank),
                 flight_pickle(testing::dump_of(rank, rank == 1 ? 4 : 5)));
  folder.write("nccl_trace_rank_7",
               "\x80\x02"
               "cposix\nsystem\n.");
  folder.write("train.log", timeout(0, kSum));
  std::istringstream nothing;
  const CaseFiles files = read_case({folder.path.string()}, nothing);
  CHECK(files.dumps.size() == 3);
  REQUIRE(files.not_read.size() == 1);
  CHECK(files.not_read[0].find("asks for posix.system") != std::string::npos);
  const Diagnosis said = diagnose(files.log, files.dumps, {});
  CHECK(said.first[0].cause == Cause::kAbsent);
  CHECK(said.first[0].ranks == std::vector<int>{1});
  REQUIRE(said.waits_for.size() == 1);
  CHECK(said.waits_for[0].from == std::vector<int>{0, 2});
  CHECK(said.waits_for[0].on == std::vector<int>{1});
  CHECK_THROWS_AS(read_case({folder.file("nccl_trace_rank_7")}, nothing), InputError);
  CHECK_THROWS_WITH(read_case({folder.file("none")}, nothing),
                    ContainsSubstring("No such file or directory"));
  std::filesystem::create_directories(folder.file("dumps/case 1"));
  for (const auto& read :
       std::initializer_list<std::function<void()>>{[&] { read_case({folder.file("dumps")}, nothing); },
                                                    [&] { read_flight_dumps(folder.file("dumps")); }})
    CHECK_THROWS_WITH(read(), ContainsSubstring("in it; one of its folders may be meant: 'case 1'"));
}

TEST_CASE("a dump's values take at most twice its size and 1 MiB, as a pickle and as JSON") {
  if (testing::kSanitized) return;
  constexpr int64_t kEntries = 8'000;
  FlightDump dump{.rank = 0, .groups = {{"dp", "", {0, 1}}}, .entries = {}};
  for (int64_t i = 0; i < kEntries; ++i)
    dump.entries.push_back({.record_id = i,
                            .group = "dp",
                            .collective_seq_id = i,
                            .op = Op::kAllReduce,
                            .elements_in = i,
                            .elements_out = i,
                            .time_created_ns = i + 1});
  const std::string forms[] = {flight_pickle(dump), flight_json(dump)};
  dump = {};
  for (const std::string& bytes : forms) {
    const int64_t before = testing::heap_bytes;
    testing::most_heap_bytes = before;
    CHECK(parse_flight_dump(bytes, "p").entries.size() == kEntries);
    CHECK(testing::most_heap_bytes - before <= 2 * static_cast<int64_t>(bytes.size()) + (1 << 20));
  }
}

TEST_CASE("what a site does not want to show") {
  CHECK(redacted("gpu-7.example.com:29500 /home/jane/job/train.py 10.0.3.4:29500 jane@host.org") ==
        "HOST:29500 train.py IP USER");
  CHECK(redacted("worker-3:12:34 [0] NCCL WARN torch.distributed.DistBackendError") ==
        "HOST:12:34 [0] NCCL WARN torch.distributed.DistBackendError");
  CHECK(redacted("[rank3]: #5 ALLREDUCE ran for 600013 ms") == "[rank3]: #5 ALLREDUCE ran for 600013 ms");
}
