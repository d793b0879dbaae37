// `ringside plan schedule`: a pipeline's schedule, by its name or typed, as a picture; whether it hangs, what
// lives at once, how long each stage waits.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "commands.h"
#include "json_text.h"
#include "plan_page.h"
#include "ringside/base/text.h"
#include "ringside/pipeline/check.h"
#include "ringside/pipeline/clock.h"

namespace ringside {
namespace {

constexpr size_t kMostStagesShown = 16, kMostLaneLines = 20;

const std::vector<ParameterSpec>& schedule_parameters() {
  using Kind = ParameterKind;
  static const std::vector<ParameterSpec> parameters = {
      {"p", "stages; 0: 4, or those that are typed", "", Kind::kInteger, "0", 0, 64},
      {"m", "micro-batches; 0: 8, or those that are typed", "", Kind::kInteger, "0", 0, 1024},
      {"v", "chunks a stage; 0: the fewest that the schedule takes", "", Kind::kInteger, "0", 0, 8},
      {"order", "of chunks, of a typed schedule", "", Kind::kChoice, "turns", 0, 0, {"turns", "vee"}},
      {"forward", "seconds of a stage's F", "", Kind::kReal, "1", 0, 1e6},
      {"input", "seconds of I, the gradient of the input", "", Kind::kReal, "1", 0, 1e6},
      {"weight", "seconds of W, that of the weights; B takes both", "", Kind::kReal, "1", 0, 1e6},
      {"message", "seconds from a stage to another", "", Kind::kReal, "0", 0, 1e6},
  };
  return parameters;
}

// What is not given follows from the passes that were typed, or from the name.
PipelineSchedule read_schedule(const Config& config, const std::string& text) {
  TypedSizes otherwise = sizes_of(text);
  if (otherwise.stages == 0) otherwise = {4, 8, 1};
  for (const NamedSchedule& known : named_schedules())
    if (known.name == text) otherwise.chunks = known.least_chunks;
  const auto given = [&](const char* name, int64_t or_else) {
    return config.integer(name) > 0 ? config.integer(name) : std::max<int64_t>(1, or_else);
  };
  return schedule_of(text, int(given("p", otherwise.stages)), given("m", otherwise.micro_batches),
                     int(given("v", otherwise.chunks)),
                     config.text("order") == "vee" ? ChunkOrder::kVee : ChunkOrder::kInTurns);
}

PipelineCosts costs_of(const Config& config, const PipelineSchedule& schedule) {
  const double forward = config.real("forward") / schedule.chunks,
               input = config.real("input") / schedule.chunks,
               weight = config.real("weight") / schedule.chunks, message = config.real("message");
  PipelineCosts costs;
  costs.pass = [=](int, const StepPass& pass) {
    const double of_kind[] = {forward, input + weight, input, weight};  // by StepPass::Kind
    return of_kind[pass.kind];
  };
  if (message > 0) costs.message = [=](const PipelineMessage&) { return message; };
  return costs;
}

struct SchedulePlan {
  PipelineSchedule schedule{};
  std::optional<PipelineHang> hang{}, blocking{};
  LiveActivations live{};
  PipelineTime time{};  // where it does not hang
};

SchedulePlan plan_of(const Config& config, const std::string& text) {
  SchedulePlan plan;
  plan.schedule = read_schedule(config, text);
  plan.hang = find_hang(plan.schedule, SendMode::kAsync);
  plan.blocking = find_hang(plan.schedule, SendMode::kBlocking);
  plan.live = live_activations(plan.schedule);
  if (!plan.hang) plan.time = time_of(plan.schedule, costs_of(config, plan.schedule));
  return plan;
}

Json hang_json(const std::optional<PipelineHang>& hang) {
  return hang ? Json(hang->sentence) : Json(nullptr);
}

void schedule_json(const Config& config, const SchedulePlan& plan, std::ostream& out) {
  const PipelineSchedule& schedule = plan.schedule;
  Json stages = Json::array();
  for (size_t stage = 0; stage < schedule.of_stage.size(); ++stage) {
    Json row = {{"live_peak", plan.live.peak[stage]}, {"busy_s", nullptr}, {"idle_s", nullptr}};
    if (!plan.hang) row["busy_s"] = plan.time.busy[stage], row["idle_s"] = plan.time.idle[stage];
    stages.push_back(row);
  }
  const auto unless_hanging = [&](double value) { return plan.hang ? Json(nullptr) : Json(value); };
  write_json({{"schema", kJsonSchema},
              {"plan", "schedule"},
              {"setup",
               {{"name", schedule.name},
                {"stages", schedule.stages},
                {"micro_batches", schedule.micro_batches},
                {"chunks", schedule.chunks},
                {"order", schedule.order == ChunkOrder::kVee ? "vee" : "turns"},
                {"forward_s", config.real("forward")},
                {"input_s", config.real("input")},
                {"weight_s", config.real("weight")},
                {"message_s", config.real("message")}}},
              {"passes", text_of(schedule)},
              {"hangs", hang_json(plan.hang)},
              {"hangs_with_blocking_sends", hang_json(plan.blocking)},
              {"stages", stages},
              {"total_s", unless_hanging(plan.time.total)},
              {"bubble_of_ideal", unless_hanging(plan.time.bubble_of_ideal())},
              {"bubble_of_whole", unless_hanging(plan.time.bubble_of_whole())}},
             out);
}

std::string title_of(const PipelineSchedule& schedule) {
  for (const NamedSchedule& known : named_schedules())
    if (known.name == schedule.name) return known.title;
  return "as typed";
}

// Wider than a page, the lanes go on below, as far as a page has lines.
void draw(const PipelineSchedule& schedule, PlanPage& out) {
  const ScheduleDrawing drawing = lanes_of(schedule);
  const size_t stages = std::min<size_t>(drawing.lanes.size(), kMostStagesShown);
  const size_t label = fmt::format("  stage {}  ", drawing.lanes.size() - 1).size();
  const size_t room = (out.width - label) / drawing.unit * drawing.unit;  // no cell is cut
  const size_t wide = std::ranges::max(drawing.lanes, {}, &std::string::size).size();
  const size_t most = std::max<size_t>(1, kMostLaneLines / (stages + 1)) * room;
  for (size_t begin = 0; begin < std::min(wide, most); begin += room) {
    if (begin > 0) out << "\n";
    for (size_t stage = 0; stage < stages; ++stage) {
      const std::string& lane = drawing.lanes[stage];
      out << pad(fmt::format("  stage {}", stage), label) << lane.substr(std::min(begin, lane.size()), room)
          << "\n";
    }
  }
  if (wide > most)
    out << fmt::format("  … left out: {} of {} units of time\n", (wide - most) / drawing.unit,
                       wide / drawing.unit);
  if (drawing.lanes.size() > stages)
    out << fmt::format("  … left out: {} of {} stages\n", drawing.lanes.size() - stages,
                       drawing.lanes.size());
  out << "\n";
  out.line("F forward, B backward of two units, in halves I (input) and W (weights)", 2);
  if (schedule.chunks == 2) out << "  small letters: the stage's second chunk\n";
}

// Of a long cycle the beginning.
std::string cycle_text(const PipelineHang& hang) {
  constexpr size_t kMostWaits = 4;
  const std::string& all = hang.sentence;
  size_t end = all.find(": ") + 2;
  const size_t begin = end;
  for (size_t wait = 0; wait < kMostWaits && end != std::string::npos; ++wait) end = all.find("; ", end + 1);
  if (end == std::string::npos) return all.substr(begin);
  return all.substr(begin, end - begin) + fmt::format("; and so on, a cycle of {}", hang.cycle.size());
}

void say_hang(const SchedulePlan& plan, PlanPage& out) {
  const auto say = [&](const char* before, const std::string& text) {
    out << before << wrap(text, out.width, 9) << "\n";
  };
  if (plan.hang) return say("hangs    ", "yes: " + cycle_text(*plan.hang));
  if (!plan.blocking) return say("hangs    ", "no, also where a send waits until it is received");
  say("hangs    ", "no, where sends do not wait");
  say("         ", "yes, where a send waits until it is received: " + cycle_text(*plan.blocking));
}

void say_time(const Config& config, const SchedulePlan& plan, PlanPage& out) {
  const PipelineTime& time = plan.time;
  const std::string bubble = fmt::format(
      "{:.1f} % of the ideal time, {:.1f} % of the whole: {:.4g} s in all, {:.4g} s of work on the busiest "
      "stage",
      100 * time.bubble_of_ideal(), 100 * time.bubble_of_whole(), time.total, time.ideal);
  out << "bubble   " << wrap(bubble, out.width, 9) << "\n\n";
  std::vector<std::vector<std::string>> rows;
  for (size_t stage = 0; stage < std::min(time.busy.size(), kMostStagesShown); ++stage)
    rows.push_back({std::to_string(stage), std::to_string(plan.live.peak[stage]),
                    fmt::format("{:.4g}", time.busy[stage]), fmt::format("{:.4g}", time.idle[stage])});
  out.table({"stage", " live at most", " works, s", " waits, s"}, rows);
  out << '\n';
  out.line("live: activations of a micro-batch and chunk, from F to the end of B or W");
  out.line(fmt::format("costs of a stage: F {}, I {}, W {}, B {} s; a message {} s", config.text("forward"),
                       config.text("input"), config.text("weight"),
                       config.real("input") + config.real("weight"), config.text("message")));
}

void schedule_text(const Config& config, const SchedulePlan& plan, PlanPage& out) {
  const PipelineSchedule& schedule = plan.schedule;
  out << fmt::format("{}\np {} {}   m {} {}   v {} {} a stage\n\n", title_of(schedule), schedule.stages,
                     schedule.stages == 1 ? "stage" : "stages", schedule.micro_batches,
                     schedule.micro_batches == 1 ? "micro-batch" : "micro-batches", schedule.chunks,
                     schedule.chunks == 1 ? "chunk" : "chunks");
  draw(schedule, out);
  out << "\n";
  say_hang(plan, out);
  if (!plan.hang) say_time(config, plan, out);
}

}  // namespace

ExitCode plan_schedule(const Options& options, std::ostream& out) {
  if (options.plan.number_typed.empty())
    throw UsageError("plan schedule: which one? ringside plan schedule 1f1b p=4 m=8");
  const Config config = Config::parse("plan schedule", schedule_parameters(), options.plan.sizes);
  const SchedulePlan plan = plan_of(config, options.plan.number_typed);
  PlanPage page{out, size_t(page_width(options))};
  options.json ? schedule_json(config, plan, out) : schedule_text(config, plan, page);
  return ExitCode::kOk;
}

}  // namespace ringside
