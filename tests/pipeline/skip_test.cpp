// A stage that leaves out a send: what the flight recorders tell. Its messages are then paired wrongly, in
// silence.
#include <catch.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "at_once.h"
#include "ringside/comm/errors.h"
#include "ringside/faults/injector.h"
#include "ringside/flight/report.h"
#include "ringside/pipeline/run.h"
#include "ringside/world/world.h"
#include "sanitized.h"
#include "stage_work.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// The first send of that tag and unit that the stage makes.
struct LeftOutSend {
  PipelineSchedule schedule{};
  int stage = 0;
  std::string tag{}, unit{};
  int64_t call = 0;  // of those with that tag and unit: 1 where a receive comes first
};

FlightReport report_of(const LeftOutSend& left_out) {
  const int p = left_out.schedule.stages;
  FaultPlan plan{{Fault()}};
  Fault& skip = plan.faults.front();
  skip.kind = FaultKind::kSkip, skip.rank = left_out.stage, skip.call = left_out.call;
  skip.group = "pp", skip.tag = left_out.tag, skip.unit = left_out.unit;
  FaultInjector injector(plan, p);
  std::vector<std::unique_ptr<FlightRecorder>> flights;
  WorldOptions options;
  options.ranks = p;
  options.timeout = std::chrono::milliseconds(kSanitized ? 2000 : 500);  // dozens of them run at once
  options.hooks.faults = &injector;
  for (int rank = 0; rank < p; ++rank) {
    flights.push_back(std::make_unique<FlightRecorder>(rank));
    options.hooks.flights.push_back(flights.back().get());
  }
  try {
    run_world(options, [&](World& world) {
      injector.begin_step(world.rank(), 0);
      auto& work = world.make<CountingWork>(left_out.schedule, world.rank(), false);
      run_step(left_out.schedule, &world.group("pp"), work);
    });
  } catch (const TimeoutError&) {  // NOLINT: the dumps tell
  }
  std::vector<FlightDump> dumps;
  for (const auto& flight : flights) dumps.push_back(flight->dump());
  return merge_flights(dumps);
}

// Every send of the schedule.
std::vector<LeftOutSend> all_sends(const PipelineSchedule& schedule) {
  std::vector<LeftOutSend> sends;
  for (int stage = 0; stage < schedule.stages; ++stage)
    for (const StepPass& pass : schedule.of_stage[static_cast<size_t>(stage)]) {
      const auto message = sent_by(schedule, stage, pass);
      if (!message || message->to == stage) continue;
      LeftOutSend& send = sends.emplace_back(LeftOutSend{schedule, stage});
      send.tag = message->backward ? "activation gradients" : "activations";
      send.unit = fmt::format("micro {}", pass.micro);
      if (schedule.chunks > 1) send.unit = fmt::format("chunk {} {}", pass.chunk, send.unit);
      const auto needed = needed_by(schedule, stage, pass);
      send.call = needed && needed->from != stage && needed->from_chunk == pass.chunk ? 1 : 0;
    }
  return sends;
}

}  // namespace

TEST_CASE("whichever send a stage leaves out, the flight report names the stage") {
  int64_t sends = 0, alone = 0;
  for (const PipelineSchedule& schedule :
       {gpipe(3, 3), one_f_one_b(2, 4), one_f_one_b(4, 4), vee(2, 3), interleaved(3, 2)}) {
    const std::vector<LeftOutSend> all = all_sends(schedule);
    const std::vector<FlightReport> reports = at_once(all, report_of);
    for (size_t i = 0; i < all.size(); ++i) {
      INFO(schedule.name << ": stage " << all[i].stage << " leaves out " << all[i].tag << ", " << all[i].unit
                         << ": " << reports[i].sentence);
      const std::vector<int> stage{all[i].stage};
      const bool named = reports[i].suspects == stage;
      // The last send of a step where two stages then wait for each other: one of the two.
      CHECK((named ||
             (reports[i].possible.size() == 2 && std::ranges::count(reports[i].possible, stage[0]) == 1)));
      ++sends, alone += named;
    }
  }
  CHECK(alone >= sends - 5);
}
