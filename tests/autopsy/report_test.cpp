// The report part by part, and what the room shows of it beside the sentences.
#include <fmt/format.h>

#include "catch.h"
#include "ringside/autopsy/diagnosis.h"
#include "ringside/autopsy/files.h"
#include "ringside/base/error.h"
#include "ringside/base/source_tree.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

std::string timeout(int rank, int64_t seq, const std::string& op) {
  return fmt::format(
      "[rank{0}]:[E ProcessGroupNCCL.cpp:607] [PG 0 Rank {0}] Watchdog caught collective operation timeout: "
      "WorkNCCL(SeqNum={1}, OpType={2}, NumelIn=2048, NumelOut=2048, Timeout(ms)=600000) ran for 600013 "
      "milliseconds before timing out.\n"
      "[rank{0}]:[E] [PG 0 Rank {0}] Timeout at NCCL work: {1}, last enqueued NCCL work: 99, last completed "
      "NCCL work: 1.\n",
      rank, seq, op);
}
std::string silent() {
  std::string log;
  for (const int rank : {0, 1, 2, 4}) log += timeout(rank, 5, "ALLREDUCE");
  return log + "[rank3]: INFO step 4 on gpu-7.example.com\n";
}
using Ranks = std::vector<int>;

}  // namespace

TEST_CASE("who waits for whom: for those that are blamed, or each side for the other") {
  const std::vector<WaitFor> silence = autopsy(silent()).waits_for;
  REQUIRE(silence.size() == 1);
  CHECK(silence[0].call == "#5 ALLREDUCE of 2,048 elements of group 0");
  CHECK(std::tuple(silence[0].from, silence[0].on, silence[0].sure) ==
        std::tuple(Ranks{0, 1, 2, 4}, Ranks{3}, Sure::kLikely));
  const std::vector<WaitFor> sides =
      autopsy(timeout(0, 5, "ALLREDUCE") + timeout(1, 5, "ALLREDUCE") + timeout(2, 5, "BROADCAST")).waits_for;
  REQUIRE(sides.size() == 2);
  CHECK(std::pair(sides[0].on, sides[1].on) == std::pair(Ranks{2}, Ranks{0, 1}));
  CHECK(autopsy("[rank1]: KeyError: 'x'\n").waits_for.empty());
}

TEST_CASE("a report in parts: those that hold something, in order; variables to copy; redacted") {
  const Diagnosis said = autopsy(silent());
  std::string ids;
  for (const ReportSection& section : report_sections(said)) ids += section.id + " ";
  CHECK(ids == "first waits carries settle try_first no_help ");
  CHECK(environment_of(said) ==
        "export TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 "
        "TORCH_NCCL_DEBUG_INFO_TEMP_FILE=DIR/rank_");
  CHECK(said.first[0].evidence[0].line == 1);
  Diagnosis named = said;
  named.first[0].evidence[0].text = named.not_read.emplace_back("/home/jane/x: it is cut off");
  CHECK(redacted(named).first[0].evidence[0].text == "x: it is cut off");
  CHECK(redacted(named).not_read[0] == "x: it is cut off");
  CHECK(readable_line("10%\r\x1b[31m100%\x1b[0m done\r") == "100% done");
}

TEST_CASE("the model's config.json among the files, and what is no text, are taken for what they are") {
  const testing::TempFolder folder;
  folder.write("train.log", timeout(0, 5, "ALLREDUCE"));
  std::istringstream nothing;
  const std::string model = (assets() / "models/qwen2_5_7b.json").string();
  int64_t bytes = 0;
  const CaseFiles files =
      read_case({model, folder.file("train.log")}, nothing, [&](int64_t n) { bytes = n; });
  CHECK(files.settings.model_config == model);
  CHECK(files.logs == std::vector{folder.file("train.log")});
  CHECK(bytes == files.log.bytes);
  const std::string carried = diagnose(files, {}).carries[0].sentence;
  CHECK(carried.find("of that model") != std::string::npos);
  CHECK_THROWS_AS(read_case({model}, nothing), InputError);
  folder.write("core", std::string("\x7f"
                                   "ELF\0",
                                   5));
  CHECK_THROWS_WITH(read_case({folder.file("core")}, nothing), ContainsSubstring("no text"));
  folder.write("config.json", R"({"model_type": "no such"})");
  const Diagnosis said = diagnose(read_case({folder.path.string()}, nothing), {});
  CHECK(said.not_read.size() == 2);
  CHECK_FALSE(said.carries[0].model.empty());  // the released models instead
}
