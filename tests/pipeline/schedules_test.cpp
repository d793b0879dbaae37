// Each schedule: its passes, its drawing.
#include <catch.h>

#include "ringside/base/error.h"
#include "ringside/pipeline/schedule.h"

namespace ringside {
namespace {

TEST_CASE("a schedule as text is read back as it is") {
  for (const NamedSchedule& known : named_schedules())
    for (int p = 1; p <= 4; ++p)
      for (int64_t m = 1; m <= 8; ++m) {
        const int v = known.least_chunks;
        const PipelineSchedule schedule = known.make(p, m, v);
        INFO(known.name << " p=" << p << " m=" << m << "\n" << text_of(schedule));
        require_complete(schedule);
        const PipelineSchedule read = schedule_of(text_of(schedule), p, m, v, schedule.order);
        CHECK(read.of_stage == schedule.of_stage);
        for (int part = 0; part < schedule.parts(); ++part)
          CHECK(schedule.part_of(schedule.stage_of(part), schedule.chunk_of(part)) == part);
      }
}

TEST_CASE("what no schedule is says so") {
  const auto wrong = [](const std::string& text, int p, int64_t m, int v) {
    try {
      schedule_of(text, p, m, v);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  CHECK(wrong("2f2b", 2, 2, 1) ==
        "2f2b: no schedule of that name; there are gpipe, 1f1b, interleaved, zb_h1, zb_v, or "
        "the passes of an own one such as \"F0 F1 B0 B1 / F0 B0 F1 B1\"");
  CHECK(wrong("1f1b", 2, 2, 2) == "1f1b: v=2: it takes v=1; v=2 is of gpipe, interleaved, zb_v");
  CHECK(wrong("interleaved", 2, 2, 1) ==
        "interleaved: v=1: it takes v=2 and more; v=1 is of gpipe, 1f1b, zb_h1");
  CHECK(wrong("1f1b", 0, 2, 1) == "1f1b: p=0: allowed are 1 to 16384");
  CHECK(wrong("gpipe", 2, 0, 1) == "gpipe: m=0: allowed are 1 to 11184810 with p=2 and v=1");
  CHECK(wrong("F0 B0 F0 / F0 B0", 2, 1, 1) == "stage 0: F0 is there twice");
  CHECK(wrong("F0 B0 / F0", 2, 1, 1) == "stage 1: B0 is missing (or I and W, its halves)");
  CHECK(wrong("F0 I0 / F0 B0", 2, 1, 1) == "stage 0: W0 is missing, the other half of I");
  CHECK(wrong("F0 B0 W0 / F0 B0", 2, 1, 1) ==
        "stage 0: W0 is a half of a backward that is there whole, as B, too");
  CHECK(wrong("F0 B0 / F1 B1", 2, 1, 1) == "stage 1: F1 is of micro-batch 1, and there are 0 to 0 (m=1)");
  CHECK(wrong("F0.1 B0 / F0 B0", 2, 1, 1) == "stage 0: F0.1 is of chunk 1, and there are 0 to 0 (v=1)");
  CHECK(wrong("F0 B0", 2, 1, 1) ==
        "the schedule has the passes of 1 stages, and p=2: a stage stands behind each '/'");
  CHECK(wrong("F0 X0 / F0 B0", 2, 1, 1) ==
        "stage 0: X0 is no pass; they are F, B, I or W with the number of a "
        "micro-batch, and the chunk behind a dot: F0, B12, F3.1");
  CHECK(wrong("F0 B0 / F0 B0", 2, 1, 1) == "read");
}

TEST_CASE("of typed passes the sizes follow") {
  const TypedSizes sizes = sizes_of("F0 F1.1 B1 / F0 B0 / F2");
  CHECK(sizes.stages == 3);
  CHECK(sizes.micro_batches == 3);
  CHECK(sizes.chunks == 2);
  CHECK(sizes_of("1f1b").stages == 0);
}

}  // namespace
}  // namespace ringside
