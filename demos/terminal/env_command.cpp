// `ringside env`: which rank of which run this process would be, and what says so.
#include <fmt/format.h>

#include <ostream>

#include "commands.h"
#include "json_text.h"
#include "ringside/base/text.h"

namespace ringside {
namespace {

// In the order in which they are shown.
void visit_values(const Launch& launch, auto&& visit) {
  visit("rank", launch.rank);
  visit("world_size", launch.size);
  visit("local_rank", launch.local_rank);
  visit("local_world_size", launch.local_size);
  visit("address", launch.address);
  visit("port", launch.port);
  visit("agent_port", launch.agent_port);
  visit("run_id", launch.run_id);
  visit("restart", launch.restart);
  visit("interface", launch.network);
  visit("transport", launch.transport);
  visit("error_file", launch.error_file);
}

}  // namespace

ExitCode show_environment(const Options& options, std::ostream& out) {
  const Launch launch = resolve(own_environment(), options.launch.flags);
  Json document = {{"schema", kJsonSchema}, {"launcher", launch.launcher}};
  if (!options.json) out << fmt::format("{:<18}{}\n", "launcher", launch.launcher);
  visit_values(launch, [&](const char* name, const auto& known) {
    document[name] = {{"value", known.value}, {"from", known.from}};
    const std::string value = printable(fmt::format("{}", known.value));
    if (!options.json) out << fmt::format("{:<18}{:<24} {}\n", name, value.empty() ? "-" : value, known.from);
  });
  if (options.json) write_json(document, out);
  return ExitCode::kOk;
}

}  // namespace ringside
