#include "ps_options.h"

#include "option_checks.h"
#include "ringside/base/error.h"

namespace ringside {
namespace {

void add_node_options(CLI::App& node, PsNodeOptions& options) {
  const auto text = [&](const char* name, std::string& value, const char* type, const std::string& meaning) {
    return node.add_option(name, value, meaning)->type_name(type);
  };
  const auto number = [&](const std::string& name, auto& value, int64_t least, int64_t most,
                          const std::string& meaning) {
    node.add_option(name, value,
                    meaning + ", " + std::to_string(least) + " to " + std::to_string(most) + "; default " +
                        std::to_string(value))
        ->type_name("N")
        ->check(CLI::Range(least, most));
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
    number("--" + std::string(field.name), value, static_cast<int64_t>(field.minimum),
           static_cast<int64_t>(field.maximum), field.meaning);
  });
}

}  // namespace

void add_ps_options(CLI::App& command, PsOptions& options) {
  command.require_subcommand(0, 1);
  CLI::App* node =
      command.add_subcommand("node", "One node of a parameter server: scheduler, server or worker");
  add_node_options(*node, options.node);
  CLI::App* simulate =
      command.add_subcommand("simulate", "10 to 10,000 workers on a virtual clock: where servers saturate");
  add_ps_simulate_options(*simulate, options.simulate);
}

void finish_ps_options(const CLI::App& command, PsOptions& options) {
  if (command.get_subcommands().empty())
    throw UsageError("ps: what? There are: node, simulate; see ringside ps --help");
  options.kind = command.get_subcommand("simulate")->parsed() ? PsKind::kSimulate : PsKind::kNode;
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
