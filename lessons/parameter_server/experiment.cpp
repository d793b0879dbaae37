// Li et al.'s parameter server on simulated nodes: a training that is watched, and the same under other
// rules, with killed nodes, through filters, and over more servers.
#include "embedded.h"
#include "parts.h"

namespace ringside::parameter_server_lesson {
namespace {

// The scenario's training first; then what it is compared with.
Jobs jobs_of(const Config& config, const RunContext& context) {
  Jobs jobs;
  add_training(config, kTraining, context, jobs);
  if (config.text("parts") == "training") return jobs;
  const Config calm = config.with({"kill=none", "add=none"});
  if (!(calm == config)) add_training(calm, kUndisturbed, context, jobs);
  add_training(config.with({"kill=worker1", "add=worker"}), kReplaced, context, jobs);
  const std::string owner = fmt::format("kill=server{}", std::min<int64_t>(config.integer("servers"), 4));
  add_training(config.with({owner, "add=none", "copies=0"}), kNoCopy, context, jobs);
  add_rules(config, context, jobs);
  add_kills(config, context, jobs);
  add_bytes(config, context, jobs);
  add_traffic(config, context, jobs);
  return jobs;
}

void run(const Config& config, const RunContext& context) {
  const Jobs jobs = jobs_of(config, context);
  for (int64_t done = 0; const Job& job : jobs) {
    context.control.pass_step();
    if (context.progress) context.progress({job.phase, ++done, std::ssize(jobs)});
    job.run();
  }
}

// ---- Questions --------------------------------------------------------------------------

// An iteration of BSP ends with its slowest worker: 1 where nobody straggles, else the factor.
double idle_of_bsp(const Config& config) {
  const double one_straggles = 1 - std::pow(1 - kStraggling, config.real("workers"));
  const double mean = 1 + kStraggling * (kStragglingFactor - 1);
  return 100 * (1 - mean / (1 + one_straggles * (kStragglingFactor - 1)));
}

}  // namespace

Pen pen_for(TraceStore& store, const char* section) {
  return [&store, section, pen = std::make_shared<Recorder*>(nullptr)]() -> Recorder& {
    if (*pen == nullptr) *pen = store.add_section(section, {}, 1, std::make_shared<VirtualClock>()).front();
    return **pen;
  };
}

std::vector<QuestionOf> questions() {
  return {{.id = "idle", .right = idle_of_bsp},
          {"half", [](const Trace& trace) { return saved_by(trace, kHalf); }},
          {"caching", [](const Trace& trace) { return saved_by(trace, kRepeated); }},
          {"traffic", [](const Trace& trace) { return traffic_at(trace, kMeanServer, 4); }}};
}

}  // namespace ringside::parameter_server_lesson

namespace ringside::lessons::parameter_server {

Lesson make_lesson() {
  using namespace ringside::parameter_server_lesson;
  std::vector<FigureOf> figures = training_figures(), others = comparison_figures();
  figures.insert(figures.end(), others.begin(), others.end());
  return lesson_of(embedded("texts.inc"),
                   {.checks = {{"kill", check_nodes}},
                    .run = run,
                    .questions = questions(),
                    .claims = claims(),
                    .figures = std::move(figures),
                    .gauges = {{"loss", [](const Trace& trace) { return last_loss(trace, kTraining); }}},
                    .readouts = training_readouts,
                    .live = live_lines});
}

}  // namespace ringside::lessons::parameter_server
