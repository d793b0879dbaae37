// A save that fails, or stops, at each of its operations: the checkpoint of before or the new one is there,
// whole.
#include "catch.h"
#include "check_text.h"
#include "crashing_disk.h"
#include "random_cases.h"
#include "ringside/checkpoint/file_system.h"
#include "small_checkpoint.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using At = CrashingDisk::At;

struct Save {
  int64_t before, step;  // step 0: none before
  int64_t keep;
};
// The first; a next one that removes the one before, or leaves it; the same step again.
const uint32_t kSeeds = random_cases(10);
constexpr Save kSaves[] = {{0, 5, 1}, {5, 10, 1}, {5, 10, 2}, {5, 5, 1}};

struct Seen {
  int64_t injections = 0, old_ones = 0, new_ones = 0;
  std::string wrong;
};

// "": what has a step's name is whole, and the newest is the old or the new one; where the save said that it
// was done, the new one.
std::string wrong_with(CrashingDisk& disk, const Save& save, bool said_done, Seen& seen) {
  const Latest found = latest(disk, kFolder);
  for (const int64_t step : saved_steps(disk, kFolder)) {
    const auto torn = message_of<CheckpointError>([&] { Checkpoint(disk, kFolder, step); }, "");
    if (!torn.empty()) return torn;  // also one that is on its way out
  }
  if (!found.step) return save.before == 0 && !said_done ? "" : "nothing is whole";
  const std::string text = content(Checkpoint(disk, kFolder, *found.step));
  const bool is_new = *found.step == save.step && text == content_of_small(2);
  const bool is_old = save.before > 0 && *found.step == save.before && text == content_of_small(1);
  ++(is_new ? seen.new_ones : seen.old_ones);
  if (said_done && !is_new) return "the save was done, and the new one is not there";
  return is_new || is_old ? "" : "neither the old nor the new one";
}

// After whatever happened a save succeeds, and leaves nothing but what it should.
std::string wrong_with_next(CrashingDisk& disk, const Save& save) {
  save_small(disk, kFolder, save.step + 5, 3, 1);
  if (disk.list(kFolder) != std::vector{folder_of_step(save.step + 5)}) return "something is left over";
  return content(Checkpoint(disk, kFolder, save.step + 5)) == content_of_small(3) ? ""
                                                                                  : "the next one is torn";
}

// true: the save went through all of its operations.
bool inject(const Save& save, At what, int64_t operation, uint32_t seed, bool lies, Seen& seen) {
  std::mt19937 random(seed);
  CrashingDisk disk;
  prepare_folder(disk, kFolder);
  if (save.before > 0) save_small(disk, kFolder, save.before, 1, 1);
  disk.lies = lies;
  disk.plan(what, operation);
  bool said_done = false;
  try {
    save_small(disk, kFolder, save.step, 2, save.keep);
    said_done = true;
  } catch (const CheckpointError&) {
  } catch (const PowerLost&) {
  }
  const bool all = disk.operations() < operation;
  if (what == At::kCrash) disk.crash(random);
  disk.plan(At::kNothing, 0);
  ++seen.injections;
  std::string wrong = wrong_with(disk, save, said_done, seen);
  if (wrong.empty() && !lies) wrong = wrong_with_next(disk, save);
  if (!wrong.empty() && seen.wrong.empty())
    seen.wrong =
        fmt::format("{} into step {}, keep {}, {} at operation {}, seed {}: {}", save.before, save.step,
                    save.keep, what == At::kFail ? "an error" : "a crash", operation, seed, wrong);
  return all;
}

Seen inject_everywhere(bool lies) {
  Seen seen;
  for (const Save& save : kSaves) {
    for (int64_t operation = 1; !inject(save, At::kFail, operation, 0, lies, seen);) ++operation;
    for (uint32_t seed = 0; seed < kSeeds; ++seed)
      for (int64_t operation = 1; !inject(save, At::kCrash, operation, seed, lies, seen);) ++operation;
  }
  return seen;
}

}  // namespace

TEST_CASE("a save that fails or stops at any operation leaves the old or the new checkpoint, whole") {
  const Seen seen = inject_everywhere(false);
  CHECK(seen.wrong == "");
  CHECK(seen.injections >= 80 * kSeeds);
  CHECK(seen.old_ones > 25 * kSeeds);
  CHECK(seen.new_ones > 25 * kSeeds);
}

TEST_CASE("on a disk that flushes nothing the same search finds what is torn", "[long]") {
  CHECK(inject_everywhere(true).wrong != "");
}

TEST_CASE("keep 2 of 4 checkpoints; leftovers of other steps go at the next save; strangers stay") {
  CrashingDisk disk;
  disk.make_folder(kFolder / ".step-000007.tmp");
  disk.make_folder(kFolder / "notes");
  for (const int64_t step : {10, 20, 30, 40}) save_small(disk, kFolder, step, 1, 2);
  CHECK((disk.list(kFolder) == std::vector<std::string>{"notes", "step-000030", "step-000040"}));
  CHECK(latest(disk, kFolder).step == 40);
  disk.bytes_of(kFolder / "step-000040" / "rank-1.bin")[3] ^= 1;
  const Latest found = latest(disk, kFolder);
  CHECK(found.step == 30);
  REQUIRE(found.refused.size() == 1);
  CHECK(found.refused[0].find("rank-1.bin") != std::string::npos);
}
