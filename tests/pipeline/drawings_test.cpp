// Each schedule as a picture, what lives at once and how long it waits, as their headers say.
#include <catch.h>

#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/pipeline/check.h"
#include "ringside/pipeline/clock.h"

using namespace ringside;

namespace {

double bubble(const PipelineSchedule& schedule) {
  return time_of(schedule, equal_costs(schedule.chunks)).bubble_of_ideal();
}

using Peaks = std::vector<int64_t>;
template <typename OfStage>
Peaks peaks_of(int p, const OfStage& of_stage) {
  Peaks peaks;
  for (int r = 0; r < p; ++r) peaks.push_back(of_stage(r));
  return peaks;
}

// Every p and m of the table, of which m is p and more.
template <typename Visit>
void visit_sizes(const Visit& visit) {
  for (int p = 1; p <= 6; ++p)
    for (int64_t m = p; m <= 20; ++m) {
      INFO("p=" << p << " m=" << m);
      visit(p, m);
    }
}

}  // namespace

TEST_CASE("GPipe: all forwards, then all backwards") {
  CHECK(drawing_of(gpipe(4, 4)) ==
        "stage 0  F0F1F2F3..................B0--B1--B2--B3--\n"
        "stage 1  ..F0F1F2F3............B0--B1--B2--B3--....\n"
        "stage 2  ....F0F1F2F3......B0--B1--B2--B3--........\n"
        "stage 3  ......F0F1F2F3B0--B1--B2--B3--............\n");
  visit_sizes([](int p, int64_t m) {
    CHECK(bubble(gpipe(p, m)) == Approx((p - 1.0) / static_cast<double>(m)));
    CHECK(live_activations(gpipe(p, m, 3)).peak == Peaks(static_cast<size_t>(p), 3 * m));
    CHECK(!find_hang(gpipe(p, m), SendMode::kBlocking));
  });
}

TEST_CASE("1F1B: GPipe's bubble, and few live activations; with sends that block it hangs") {
  CHECK(drawing_of(one_f_one_b(4, 5)) ==
        "stage 0  F0F1F2F3............B0--F4B1--..B2--..B3--..B4--\n"
        "stage 1  ..F0F1F2........B0--F3B1--F4B2--..B3--..B4--....\n"
        "stage 2  ....F0F1....B0--F2B1--F3B2--F4B3--..B4--........\n"
        "stage 3  ......F0B0--F1B1--F2B2--F3B3--F4B4--............\n");
  visit_sizes([](int p, int64_t m) {
    CHECK(bubble(one_f_one_b(p, m)) == Approx((p - 1.0) / static_cast<double>(m)));
    CHECK(live_activations(one_f_one_b(p, m)).peak ==
          peaks_of(p, [&](int r) { return std::min<int64_t>(m, p - r); }));
    CHECK(find_hang(one_f_one_b(p, m), SendMode::kBlocking).has_value() == (p > 1 && m > 1));
  });
  CHECK(find_hang(one_f_one_b(2, 2), SendMode::kBlocking)->sentence ==
        "with sends that block it hangs: stage 0 waits behind F1 until stage 1 receives its activations, "
        "before its F1; "
        "stage 1 waits behind B0 until stage 0 receives its gradients, before its B0");
}

TEST_CASE("interleaved 1F1B: 1/v of the bubble, also where p does not divide m") {
  CHECK(drawing_of(interleaved(2, 4)) ==
        "stage 0  F0F1f0f1F2..b0--F3b1--f2B0--f3B1--..b2--..b3--B2--B3--\n"
        "stage 1  ..F0F1f0b0--f1b1--F2B0--F3B1--f2b2--f3b3--B2--B3--....\n");
  CHECK(drawing_of(interleaved(3, 4)) ==
        "stage 0  F0F1F2F3f0f1f2f3......b0--..b1--..b2--..b3--B0--B1--B2--B3--\n"
        "stage 1  ..F0F1F2F3f0f1f2..b0--f3b1--..b2--..b3--B0--B1--B2--B3--....\n"
        "stage 2  ....F0F1F2F3f0b0--f1b1--f2b2--f3b3--B0--B1--B2--B3--........\n");
  visit_sizes([](int p, int64_t m) {
    for (const int v : {2, 3}) {
      const PipelineSchedule schedule = interleaved(p, m, v);
      CHECK(bubble(schedule) == Approx((p - 1.0) / static_cast<double>(m * v)));
      const int64_t group = (m + m / p - 1) / (m / p);
      CHECK(live_activations(schedule).peak == peaks_of(p, [&](int r) {
              return std::min<int64_t>(m * v, 2 * (p - r - 1) + (v - 1) * group + 1);
            }));
    }
  });
}

TEST_CASE("ZB-H1: a third of 1F1B's bubble at equal costs") {
  CHECK(drawing_of(zero_bubble(4, 5)) ==
        "stage 0  F0F1F2F3......I0W0F4I1W1I2W2I3W3I4W4\n"
        "stage 1  ..F0F1F2....I0F3I1W0F4I2W1I3W2I4W3W4\n"
        "stage 2  ....F0F1..I0F2I1F3I2W0F4I3W1I4W2W3W4\n"
        "stage 3  ......F0I0F1I1F2I2F3I3W0F4I4W1W2W3W4\n");
  visit_sizes([](int p, int64_t m) {
    CHECK(bubble(zero_bubble(p, m)) == Approx((p - 1.0) / static_cast<double>(3 * m)));
    CHECK(live_activations(zero_bubble(p, m)).peak == Peaks(static_cast<size_t>(p), p));
  });
  // (p-1)(F + I - W) seconds, at other costs too.
  const PipelineCosts costs{.pass = [](int, const StepPass& pass) {
    return pass.kind == StepPass::kForward ? 1.0 : pass.kind == StepPass::kBackwardInput ? 1.25 : 0.75;
  }};
  const PipelineTime time = time_of(zero_bubble(4, 12), costs);
  CHECK(time.total - time.ideal == Approx(3 * 1.5));
}

TEST_CASE("ZB-V: no stage waits between its first pass and its last") {
  CHECK(drawing_of(vee(2, 4)) ==
        "stage 0  F0F1F2f0i0w0f1i1w1F3I0W0f2i2w2I1W1f3i3w3I2W2I3W3..\n"
        "stage 1  ..F0f0F1f1i0w0F2I0W0f2i1w1F3I1W1f3i2w2I2i3I3W2w3W3\n");
  for (int p = 1; p <= 6; ++p)
    for (int64_t m = 2 * p - 1; m <= 20; ++m) {
      INFO("p=" << p << " m=" << m);
      const PipelineSchedule schedule = vee(p, m);
      const PipelineReplay run = replay(schedule, equal_costs(2));
      CHECK(run.time.total - run.time.ideal == Approx((p - 1) / 2.0));
      CHECK(live_activations(schedule).peak ==
            Peaks(static_cast<size_t>(p), std::min<int64_t>(2 * m, 2 * p)));
      for (const auto& spans : run.spans)
        CHECK(spans.back().end - spans.front().start == Approx(3.0 * static_cast<double>(m)));
    }
}

TEST_CASE("with fewer micro-batches than stages all still come to their end") {
  for (const NamedSchedule& known : named_schedules())
    for (int p = 2; p <= 6; ++p)
      for (int64_t m = 1; m < p; ++m) {
        INFO(known.name << " p=" << p << " m=" << m);
        const PipelineSchedule schedule = known.make(p, m, known.least_chunks);
        CHECK(!find_hang(schedule, SendMode::kAsync));
        for (const int64_t peak : live_activations(schedule).peak) CHECK(peak <= m * schedule.chunks);
      }
}

TEST_CASE("a typed schedule whose gradients come in another order than they are needed runs") {
  const PipelineSchedule schedule = schedule_of("F0 F1 B1 B0 / F0 B0 F1 B1", 2, 2, 1);
  CHECK(!find_hang(schedule, SendMode::kAsync));
  CHECK(drawing_of(schedule) ==
        "stage 0  F0F1..........B1--B0--\n"
        "stage 1  ..F0B0--F1B1--........\n");
}

TEST_CASE("a typed schedule that hangs: who waits for what of whom, drawn as far as it comes") {
  const PipelineSchedule schedule = schedule_of("F0 B0 F1 B1 / F0 F1 B0 B1", 2, 2, 1);
  const auto hang = find_hang(schedule, SendMode::kAsync);
  REQUIRE(hang);
  CHECK(hang->sentence ==
        "it hangs: stage 0 waits before B0 for the gradients that stage 1 sends behind its B0; stage 1 waits "
        "before F1 "
        "for the activations that stage 0 sends behind its F1");
  CHECK(hang->done == std::vector<int64_t>{1, 1});
  REQUIRE(hang->cycle.size() == 2);
  CHECK(hang->cycle[0].stage == 0);
  CHECK(hang->cycle[0].on == 1);
  CHECK(hang->cycle[1].missing == StepPass{StepPass::kForward, 1, 0});
  CHECK(drawing_of(schedule) ==
        "stage 0  F0 | B0\n"
        "stage 1  ..F0 | F1\n");
  CHECK(find_hang(schedule_of("F0 B0 / B0 F0", 2, 1, 1), SendMode::kAsync)->sentence ==
        "it hangs: stage 1 waits before B0 for its own F0, which stands later in its list");
}
