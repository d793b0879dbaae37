// Checkpoints that are written beside the steps: the bytes, the order and the errors of those for which a run
// stands still.
#include <fmt/format.h>

#include "../checkpoint/crashing_disk.h"
#include "../checkpoint/passed_on_disk.h"
#include "catch.h"
#include "check_text.h"
#include "resumable.h"
#include "ringside/checkpoint/load.h"
#include "ringside/trace/training_rows.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr char kRun[] = "/runs/beside";

TrainerConfig beside(FileSystem& disk, int64_t every, bool resume = false) {
  TrainerConfig config = resumable(kPlain, 1);
  config.model.layers = 1, config.accumulate = 1, config.evaluate_every = -1;
  config.checkpoint = {.folder = kRun, .every = every, .resume = resume, .asynchronous = true};
  config.checkpoint.disk = &disk;
  return config;
}

std::string bytes_of(FileSystem& disk, int64_t step, int rank) {
  const FileSystem::Path file =
      FileSystem::Path(kRun) / folder_of_step(step) / fmt::format("rank-{}.bin", rank);
  std::string bytes(static_cast<size_t>(std::max<int64_t>(disk.size(file), 0)), '\0');
  disk.read(file, 0, bytes);
  return bytes;
}

}  // namespace

TEST_CASE("beside the steps: the bytes of a save for which the run stands, though steps go on meanwhile") {
  const Dataset data = tiny_data();
  CrashingDisk at_once, later;
  PassedOnDisk quick(at_once), slow(later, std::chrono::milliseconds(10));
  TrainerConfig stands = beside(quick, 2), goes_on = beside(slow, 2);
  stands.checkpoint.asynchronous = false;
  stands.checkpoint.keep = goes_on.checkpoint.keep = 0;
  const Audit first = audit(stands, data), second = audit(goes_on, data);
  CHECK(second.ledger_problem() == "");
  CHECK(first.result.parameters_sha256 == second.result.parameters_sha256);
  for (const int64_t step : {2, 4, 6})
    for (const int rank : {0, 1}) {
      const std::string bytes = bytes_of(quick, step, rank);
      CHECK(bytes.size() > 1000);
      CHECK((bytes == bytes_of(slow, step, rank)));
    }
  const Trace trace = second.store->snapshot();
  std::vector<int64_t> steps;
  for (const CheckpointRow& row : rows_as<CheckpointRow>(*trace.find("run"))) {
    steps.push_back(row.step);
    CHECK(row.bytes > 1000);
    CHECK(row.copied == row.bytes);
    CHECK(row.held_up < row.ms);
  }
  CHECK((steps == std::vector<int64_t>{2, 4, 6, 2, 4, 6}));  // rank after rank
  for (const int rank : {0, 1}) {
    const LedgerRow& other = row_of(second, rank, "other", kStepEntry);
    REQUIRE(other.reasons.size() == 1);
    CHECK(other.reasons[0].name == kCheckpointCopy);
    CHECK(other.reasons[0].bytes >= std::ssize(bytes_of(slow, 6, rank)));
  }
}

TEST_CASE("beside the steps: an error at any operation ends the run by its name; what is there is whole") {
  const Dataset data = tiny_data();
  int64_t failed = 0, old_ones = 0, new_ones = 0;
  for (int64_t operation = 1;; operation += 13) {
    INFO("operation " << operation);
    CrashingDisk disk;
    PassedOnDisk shared(disk);
    disk.plan(CrashingDisk::At::kFail, operation);
    const std::string said = message_of<Error>([&] { audit(beside(shared, 3), data); });
    const bool all = disk.operations() < operation;
    if (all) CHECK(disk.operations() > 100);
    if (!all) CHECK(said.find("no space left") != std::string::npos);
    CHECK((said == "no error") == all);
    failed += all ? 0 : 1;
    std::mt19937 random(static_cast<uint32_t>(operation));
    disk.crash(random);
    const Latest found = latest(disk, kRun);
    CHECK(found.refused.empty());
    ++(found.step.value_or(0) == kAllSteps ? new_ones : old_ones);
    if (all) break;
    const Audit again = audit(beside(shared, 3, true), data);  // goes on from what there is
    CHECK(again.result.interruption.resumed_at == found.step.value_or(0));
    CHECK(latest(disk, kRun).step == kAllSteps);
  }
  CHECK(failed > 8);
  CHECK(old_ones > 3);
  CHECK(new_ones > 0);
}

TEST_CASE("beside the steps: a run that is cancelled, or that breaks, ends while a slow disk still writes") {
  const Dataset data = tiny_data();
  CrashingDisk disk;
  PassedOnDisk slow(disk, std::chrono::milliseconds(5));
  RunControl control;
  TrainerHooks hooks;
  hooks.control = &control;
  hooks.on_step = [&](int64_t step) {
    if (step == 3) control.cancel();
  };
  CHECK(audit(beside(slow, 3), data, hooks).result.steps == 4);
  CHECK(latest(disk, kRun).step == 4);
  TrainerHooks breaks;
  breaks.on_step = [&](int64_t step) {
    if (step == 4) throw UsageError("planted");
  };
  CHECK(message_of<UsageError>([&] { audit(beside(slow, 5, true), data, breaks); }) == "planted");
  CHECK(latest(disk, kRun).refused.empty());
  const Audit again = audit(beside(slow, 5, true), data);
  CHECK(again.result.interruption.resumed_at >= 4);
  CHECK(again.result.complete);
}
