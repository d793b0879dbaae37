#include "ps_options.h"

#include "option_checks.h"
#include "ringside/base/error.h"
#include "ringside/comm/link_model.h"

namespace ringside {
namespace {

constexpr const char* kNodeFooter = R"(
A line on stdin ends a node: "stop" a scheduler, and a worker once its pushes are acknowledged; "leave" a
server, once other servers have its ranges. Ctrl-C is the same, and the exit code is 130 then, 0 after a
line. It is 5 where nobody took the ranges or the pushes in time.
)";

constexpr const char* kSimulateFooter = R"(
Sparse logistic regression is trained in earnest by the server's own code, on a virtual clock: each
loss is real, each time is simulated. What a message costs is measured first, between threads of this
process, and the simulator's error on runs that it was not fitted to is shown.
Examples
  ringside ps simulate
  ringside ps simulate --workers 10,100,1000,10000 --servers 1,16 --clocks 6   a minute or two
  ringside ps simulate --link ethernet --keys 1000000
)";

void add_node_options(CLI::App& node, PsNodeOptions& options) {
  const auto text = [&](const char* name, std::string& value, const char* type, const std::string& meaning) {
    return add_value(node, name, value, meaning, type);
  };
  const auto number = [&](const std::string& name, auto& value, int64_t least, int64_t most,
                          const std::string& meaning) {
    add_value(node, name, value,
              meaning + ", " + std::to_string(least) + " to " + std::to_string(most) + "; default " +
                  std::to_string(value),
              "N", whole_in(least, most));
  };
  text("--role", options.role, "ROLE", "scheduler, server or worker")
      ->required()
      ->check(CLI::IsMember({"scheduler", "server", "worker"}));
  text("--scheduler", options.scheduler, "ADDRESS", "Where the scheduler listens: of a server or worker");
  text("--listen", options.listen, "ADDRESS",
       "Where this node listens: tcp://HOST:PORT, * for a free port; default tcp://127.0.0.1:*");
  text("--file", options.file, "FILE", "scheduler: its table, to go on from when it is started again")
      ->check(is_name());
  number("--rank", options.rank, 0, 1'000'000, "worker: which keys are its own");
  number("--clocks", options.clocks, 0, int64_t{1} << 23, "worker: iterations, 0 for any number");
  number("--every", options.every, 1, 1'000'000, "Milliseconds between two lines on stdout");
  text("--run", options.run, "NAME", "The run; nodes of another run, or with other settings, are refused");
  visit_fields(options, [&](const Field& field, auto& value) {
    number("--" + std::string(field.name), value, int64_t(field.minimum), int64_t(field.maximum),
           field.meaning);
  });
  node.footer(kNodeFooter);
}

void add_simulate_options(CLI::App& command, PsSimulateOptions& options) {
  const auto add = [&](const char* name, auto& value, const std::string& what, const char* type) {
    return add_value(command, name, value, what, type)->capture_default_str();
  };
  add("--workers", options.workers, "Numbers of workers, 1 to 10000", "N,N")
      ->delimiter(',')
      ->transform(whole_in(1, 10'000));
  add("--servers", options.servers, "Numbers of servers, 1 to 500", "N,N")
      ->delimiter(',')
      ->transform(whole_in(1, 500));
  add("--consistency", options.consistency, "bsp, ssp or asp", "RULE")
      ->check(CLI::IsMember({"bsp", "ssp", "asp"}));
  add("--staleness", options.staleness, "ssp: iterations that a read may be behind", "S")
      ->transform(whole_in(0, 1000));
  add("--backups", options.backups, "Copies of each range beside its head, 0 to 2", "K")
      ->transform(whole_in(0, 2));
  add("--ranges", options.ranges, "Ranges a server, on average", "N")->transform(whole_in(1, 64));
  add("--link", options.link, "Of each node: none, " + link_figures() + ", or as 50us/0.1GBps", "LINK");
  add("--batch", options.batch, "Samples of an iteration, of all workers together", "N")
      ->transform(whole_in(1, 1'000'000));
  add("--sample-ms", options.sample_ms, "Compute time of a sample, ms", "MS")->check(number_in(0.0, 1e4));
  add("--straggling", options.straggling, "Of the iterations, drawn at random, this part takes longer", "P")
      ->check(number_in(0.0, 1.0));
  add("--straggling-factor", options.straggling_factor, "So many times as long", "X")
      ->check(number_in(1.0, 1000.0));
  add("--keys", options.keys, "Of the model", "N")->transform(whole_in(100, 10'000'000));
  add("--fields", options.fields, "Keys of a sample", "N")->transform(whole_in(1, 1000));
  add("--clocks", options.clocks, "Iterations at most", "N")->transform(whole_in(2, 10'000));
  add("--target", options.target, "The loss at which a run ends", "LOSS")->check(number_in(0.0, 1.0));
  add("--learning-rate", options.learning_rate, "Of SGD", "X")->check(number_in(0.0, 1e6));
  command.add_flag("--key-caching", options.key_caching, "Lists of keys are sent once");
  add_value(command, "--costs", options.costs,
            "Instead of measuring: a message of a server in us, a byte in ns; the same of a worker",
            "A,B,C,D")
      ->delimiter(',')
      ->check(number_in(0.0, 1e6));
  command.footer(kSimulateFooter);
}

}  // namespace

void add_ps_options(CLI::App& command, PsOptions& options) {
  command.require_subcommand(0, 1);
  CLI::App* node =
      command.add_subcommand("node", "One node of a parameter server: scheduler, server or worker");
  add_node_options(*node, options.node);
  CLI::App* simulate =
      command.add_subcommand("simulate", "10 to 10,000 workers on a virtual clock: where servers saturate");
  add_simulate_options(*simulate, options.simulate);
}

void finish_ps_options(const CLI::App& command, PsOptions& options) {
  if (command.get_subcommands().empty())
    throw UsageError("ps: what? There are: node, simulate; see ringside ps --help");
  options.kind = command.get_subcommand("simulate")->parsed() ? PsKind::kSimulate : PsKind::kNode;
  constexpr size_t kCosts = 4;
  if (const size_t costs = options.simulate.costs.size(); costs != 0 && costs != kCosts)
    throw UsageError("--costs: " + std::to_string(costs) + " of 4 numbers; as in --costs 5,0.1,5,0.1");
  if (options.kind == PsKind::kSimulate) return;
  const PsNodeOptions& node = options.node;
  if (node.role != "scheduler" && node.scheduler.empty())
    throw UsageError("ps node: a " + node.role + " needs --scheduler ADDRESS, as the scheduler printed it");
  if (node.role == "scheduler" && !node.scheduler.empty())
    throw UsageError("ps node: a scheduler has no --scheduler; --listen says where it is");
  if (node.keys < uint64_t{node.ranges} * node.workers)
    throw UsageError("ps node: keys=" + std::to_string(node.keys) + ": at least ranges x workers are needed");
}

}  // namespace ringside
