// Li et al.'s parameter server on simulated nodes: a training that is watched, and the same under other
// rules, with killed nodes, through filters, and over more servers.
#include "read.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/tr.h"

namespace ringside::parameter_server_lesson {
namespace {

ParameterSpec explained(ParameterSpec spec, std::vector<std::string> meanings) {
  spec.choice_meanings = std::move(meanings);
  return spec;
}

std::vector<ParameterSpec> parameters() {
  return {
      number("workers", tr("W, that compute"), "", "8", 2, 16),
      number("servers", tr("S, that hold the weights"), "", "4", 2, 8),
      explained(
          choice("copies", tr("of each range, on the servers that follow its owner"), "2", {"0", "1", "2"}),
          {tr("The owner alone has it."), tr("One server can die."), tr("Two servers can die at once.")}),
      explained(choice("consistency", tr("when a worker may read"), "bsp", {"bsp", "ssp", "asp"}),
                {tr("All are in the same iteration."), tr("The slowest is at most s iterations behind."),
                 tr("Always.")}),
      number("staleness", tr("s of ssp: iterations that the slowest may be behind"), "", "8", 1, 64),
      explained(choice("straggler", tr("whose iterations take 4 times as long"), "random",
                       {"random", "none", "slow"}),
                {tr("One iteration in 10, drawn at each worker."), tr("Nobody."),
                 tr("All iterations of worker 0.")}),
      explained(choice("filter", tr("what makes messages smaller"), "none",
                       {"none", "caching", "fp16", "int8", "top", "zstd"}),
                {tr("Keys of 8 bytes, values of 4."), tr("A known list of keys is sent as its signature."),
                 tr("Values in 2 bytes."), tr("Values in 1 byte; what rounding took is pushed later."),
                 tr("A push has the tenth of the values that is largest; the rest waits."),
                 tr("zstd on the values.")}),
      text("kill", tr("nodes that die after a third of the training, with commas between them"), "none",
           {"none", "server4", "server3,server4", "worker1", "worker1,worker2"}, check_nodes),
      choice("add", tr("who joins at half of the training"), "none", {"none", "worker", "server"}),
      number("loss", tr("of all packets, that the network loses"), "%", "0", 0, 30, ParameterKind::kReal),
      number("steps", tr("iterations of each worker in the training"), "", "40", 6, 400),
      number("rate", tr("learning rate, of AdaGrad"), "", "1", 0.01, 100, ParameterKind::kReal),
      choice("parts", tr("what is run: everything, or the training alone"), "all", {"all", "training"}),
      number("seed", tr("of samples, stragglers and network"), "", "1", 0, 1e9)};
}

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

std::vector<std::string> opening(const Config& config) {
  return {tr("{} workers train one model. Its weights lie on {} servers: each has some ranges of keys, and "
             "copies of {} "
             "others' ranges.",
             config.integer("workers"), config.integer("servers"), config.text("copies")),
          tr("A worker pulls the weights that its samples name, computes a gradient, and pushes it."),
          tr("Some iterations take 4 times as long, and nodes will die. All times are simulated.")};
}

}  // namespace

Pen pen_for(TraceStore& store, const char* section) {
  return [&store, section, pen = std::make_shared<Recorder*>(nullptr)]() -> Recorder& {
    if (*pen == nullptr) *pen = store.add_section(section, {}, 1, std::make_shared<VirtualClock>()).front();
    return **pen;
  };
}

}  // namespace ringside::parameter_server_lesson

namespace ringside::lessons::parameter_server {

Lesson make_lesson() {
  using namespace ringside::parameter_server_lesson;
  Lesson lesson;
  lesson.parameters = parameters();
  lesson.predictions = predictions();
  lesson.claims = claims();
  lesson.figures = comparison_figures();
  for (FigureSpec& spec : training_figures())  // behind the first
    lesson.figures.insert(lesson.figures.end() - 8, std::move(spec));
  lesson.opening = opening;
  lesson.gauges = {{tr("loss at the end"), "",
                    [](const FigureInput& input) { return last_loss(input.trace, kTraining); }}};
  lesson.words = {tr("The servers are being started."), tr("Now watch the workers wait."), tr("iteration"),
                  "compute"};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::parameter_server
