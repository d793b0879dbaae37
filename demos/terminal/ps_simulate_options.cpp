#include "ps_simulate_options.h"

#include "option_checks.h"
#include "ringside/comm/link_model.h"

namespace ringside {
namespace {

constexpr const char* kSimulateFooter = R"(
Sparse logistic regression is trained in earnest by the server's own code, on a virtual clock: each
loss is real, each time is simulated. What a message costs is measured first, between threads of this
process, and the simulator's error on runs that it was not fitted to is shown.
Examples
  ringside ps simulate
  ringside ps simulate --workers 10,100,1000,10000 --servers 1,16 --clocks 6   a minute or two
  ringside ps simulate --link ethernet --keys 1000000
)";

}  // namespace

void add_ps_simulate_options(CLI::App& command, PsSimulateOptions& options) {
  const auto add = [&](const char* name, auto& value, const std::string& what, const char* type) {
    return command.add_option(name, value, what)->type_name(type)->capture_default_str();
  };
  add("--workers", options.workers, "Numbers of workers, 1 to 10000", "N,N")
      ->delimiter(',')
      ->check(CLI::Range(1, 10'000));
  add("--servers", options.servers, "Numbers of servers, 1 to 500", "N,N")
      ->delimiter(',')
      ->check(CLI::Range(1, 500));
  add("--consistency", options.consistency, "bsp, ssp or asp", "RULE")
      ->check(CLI::IsMember({"bsp", "ssp", "asp"}));
  add("--staleness", options.staleness, "ssp: iterations that a read may be behind", "S")
      ->check(CLI::Range(0, 1000));
  add("--backups", options.backups, "Copies of each range beside its head, 0 to 2", "K")
      ->check(CLI::Range(0, 2));
  add("--ranges", options.ranges, "Ranges a server, on average", "N")->check(CLI::Range(1, 64));
  add("--link", options.link, "Of each node: none, " + link_figures() + ", or as 50us/0.1GBps", "LINK");
  add("--batch", options.batch, "Samples of an iteration, of all workers together", "N")
      ->check(CLI::Range(1, 1'000'000));
  add("--sample-ms", options.sample_ms, "Compute time of a sample, ms", "MS")->check(number_in(0.0, 1e4));
  add("--straggling", options.straggling, "Of the iterations, drawn at random, this part takes longer", "P")
      ->check(number_in(0.0, 1.0));
  add("--straggling-factor", options.straggling_factor, "So many times as long", "X")
      ->check(number_in(1.0, 1000.0));
  add("--keys", options.keys, "Of the model", "N")->check(CLI::Range(100, 10'000'000));
  add("--fields", options.fields, "Keys of a sample", "N")->check(CLI::Range(1, 1000));
  add("--clocks", options.clocks, "Iterations at most", "N")->check(CLI::Range(2, 10'000));
  add("--target", options.target, "The loss at which a run ends", "LOSS")->check(number_in(0.0, 1.0));
  add("--learning-rate", options.learning_rate, "Of SGD", "X")->check(number_in(0.0, 1e6));
  command.add_flag("--key-caching", options.key_caching, "Lists of keys are sent once");
  command
      .add_option("--costs", options.costs,
                  "Instead of measuring: a message of a server in us, a byte in ns; the same of a worker")
      ->type_name("A,B,C,D")
      ->delimiter(',')
      ->expected(4)
      ->check(number_in(0.0, 1e6));
  command.footer(kSimulateFooter);
}

}  // namespace ringside
