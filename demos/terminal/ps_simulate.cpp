// `ringside ps simulate`: the parameter server with more workers and servers than one machine has.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "commands.h"
#include "interrupt.h"
#include "json_text.h"
#include "plan_page.h"
#include "ringside/base/error.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/parameter_server/calibration.h"
#include "ringside/parameter_server/scale.h"

namespace ringside {
namespace {

struct Cell {
  uint32_t workers = 1, servers = 1;
  ps::ScaleResult result = {};
};

ps::Calibration costs_of(const PsSimulateOptions& options) {
  if (options.costs.empty()) return ps::calibrate();
  const auto handling = [&](size_t at) {
    const double ns = options.costs[at] * 1e3;
    return Handling{.receive_ns = ns, .send_ns = ns, .byte_ns = options.costs[at + 1]};
  };
  return {.server = handling(0), .worker = handling(2)};
}

ps::ScaleSetup setup_of(const PsSimulateOptions& options) {
  ps::ScaleSetup setup;
  setup.backups = options.backups;
  setup.ranges_per_server = options.ranges;
  setup.consistency = options.consistency == "bsp"   ? ps::Consistency::kBsp
                      : options.consistency == "ssp" ? ps::Consistency::kSsp
                                                     : ps::Consistency::kAsp;
  setup.staleness = options.staleness;
  setup.filters.key_caching = options.key_caching;
  setup.keys = options.keys;
  setup.samples = std::make_shared<const ps::Samples>(
      ps::power_law_samples({.samples = 2 * options.batch, .keys = options.keys, .fields = options.fields}));
  setup.batch = options.batch;
  setup.learning_rate = options.learning_rate;
  setup.sample_s = options.sample_ms * 1e-3;
  setup.straggling = options.straggling;
  setup.straggling_factor = options.straggling_factor;
  setup.most_clocks = options.clocks;
  setup.target_loss = options.target;
  setup.link = parse_link(options.link);
  return setup;
}

// ---------------------------------------------------------------- text

std::string rule_text(const PsSimulateOptions& options) {
  if (options.consistency == "ssp") return fmt::format("SSP({})", options.staleness);
  return options.consistency == "bsp" ? "BSP" : "ASP";
}

void show_costs(const ps::Calibration& costs, PlanPage& page) {
  const auto of = [](const Handling& handling) {
    return tr("{} and {:.2f} ns a byte", format_duration(handling.receive_ns * 1e-9), handling.byte_ns);
  };
  page.line(tr("A message costs a server {}, a worker {}.", of(costs.server), of(costs.worker)));
}

void show_calibration(const PsSimulateOptions& options, const ps::Calibration& costs, PlanPage& page) {
  show_costs(costs, page);
  if (!options.costs.empty()) {
    page.line(tr("These costs were given, not measured."));
    page.line("");
    return;
  }
  page.line(
      tr("This was measured between threads of this process, which are {} apart, in iterations a second:",
         format_duration(double(costs.latency_ns) * 1e-9)));
  std::vector<std::vector<std::string>> rows;
  for (const ps::CalibrationRun& run : costs.runs)
    rows.push_back({format_count(run.workers), format_count(int64_t(run.keys)),
                    format_duration(double(run.compute_ns) * 1e-9), format_count(std::llround(run.measured)),
                    format_count(std::llround(run.predicted)), fmt::format("{:+.0f} %", 100 * run.error()),
                    run.is_used ? tr("fitted") : tr("predicted")});
  page.table({" workers", " keys", " computing", " measured", " simulated", " off by", "how"}, rows);
  page.line(tr("On the runs that it was not fitted to the simulator is off by up to {:.0f} %.",
               100 * costs.worst_error()));
  constexpr double kBusy = 0.2;
  if (const double waiting = costs.most_kept_waiting(); waiting > kBusy)
    page.line(
        tr("The machine was busy: threads waited for a processor in up to {:.0f} % of the time in which they "
           "wanted one. The simulator gives each node one of its own.",
           100 * waiting));
  page.line("");
}

std::string busiest_text(const ps::ScaleResult& result) {
  const ps::ResourceLoad& most = result.loads.front();
  return fmt::format("{} {:.0f} %", most.resource, 100 * most.load);
}

void show_cells(const PsSimulateOptions& options, const std::vector<Cell>& cells, PlanPage& page) {
  std::vector<std::vector<std::string>> rows;
  for (const Cell& cell : cells) {
    const ps::ScaleResult& result = cell.result;
    const std::string left = std::isfinite(result.loss) ? tr("({:.3f} left)", result.loss) : tr("(diverged)");
    rows.push_back({format_count(cell.workers), format_count(cell.servers),
                    format_count(std::llround(result.samples_per_s)),
                    result.seconds_to_loss < 0 ? left : fmt::format("{:.2f}", result.seconds_to_loss),
                    fmt::format("{:.0f} %", 100 * result.waiting), busiest_text(result)});
  }
  page.table(
      {" workers", " servers", " samples/s", tr(" s to loss {}", options.target), " waiting", "busiest"},
      rows);
}

constexpr double kBusyServer = 0.5;

double busiest_server(const ps::ScaleResult& result) {
  double most = 0;
  for (const ps::ResourceLoad& one : result.loads)
    if (one.resource.starts_with("server")) most = std::max(most, one.load);
  return most;
}

// Where more workers stopped to help, by servers.
void show_saturation(const std::vector<Cell>& cells, PlanPage& page) {
  for (size_t i = 1; i < cells.size(); ++i) {
    const Cell &fewer = cells[i - 1], &more = cells[i];
    if (fewer.servers != more.servers || fewer.workers >= more.workers) continue;
    const double ideal = double(more.workers) / fewer.workers;
    const double gain = more.result.samples_per_s / fewer.result.samples_per_s;
    if (gain > 0.5 * ideal) continue;
    const std::string servers = more.servers == 1 ? tr("1 server") : tr("{} servers", more.servers);
    if (const double busiest = busiest_server(more.result); busiest < kBusyServer) {
      page.line(
          tr("With {} {} workers do {:.1f} times what {} do. No server's processor or link is busy for more "
             "than {:.0f} % of the time: it is the workers that wait for each other.",
             servers, format_count(more.workers), gain, format_count(fewer.workers), 100 * busiest));
      continue;
    }
    page.line(tr("With {} saturation comes before {} workers: they do {:.1f} times what {} do.", servers,
                 format_count(more.workers), gain, format_count(fewer.workers)));
  }
}

// ---------------------------------------------------------------- JSON

Json handling_json(const Handling& handling) {
  return {{"message_ns", handling.receive_ns}, {"byte_ns", handling.byte_ns}};
}

Json calibration_json(const ps::Calibration& costs) {
  const Json runs = array_of(costs.runs, [](const ps::CalibrationRun& run) {
    return Json{{"workers", run.workers},
                {"keys", run.keys},
                {"compute_ns", run.compute_ns},
                {"fitted", run.is_used},
                {"kept_waiting", run.kept_waiting},
                {"measured_iterations_per_s", run.measured},
                {"simulated_iterations_per_s", run.predicted}};
  });
  return {{"server", handling_json(costs.server)},
          {"worker", handling_json(costs.worker)},
          {"one_way_ns", costs.latency_ns},
          {"runs", runs}};
}

Json cell_json(const Cell& cell) {
  const ps::ScaleResult& result = cell.result;
  Json loads = Json::object();
  for (const ps::ResourceLoad& one : result.loads) loads[one.resource] = one.load;
  return {{"workers", cell.workers},
          {"servers", cell.servers},
          {"samples_per_s", result.samples_per_s},
          {"iterations_per_s", result.iterations_per_s},
          {"seconds_to_loss", result.seconds_to_loss < 0 ? Json() : Json(result.seconds_to_loss)},
          {"seconds", result.seconds},
          {"loss", result.loss},
          {"waiting", result.waiting},
          {"loads", loads},
          {"clocks", result.clocks},
          {"packets", result.packets},
          {"bytes", result.bytes},
          {"events", result.events},
          {"real_seconds", result.real_seconds}};
}

void show_json(const PsSimulateOptions& options, const ps::Calibration& costs, const std::vector<Cell>& cells,
               bool complete, std::ostream& out) {
  write_json({{"ps", "simulate"},
              {"schema", kJsonSchema},
              {"simulated", true},
              {"complete", complete},
              {"link", options.link},
              {"consistency", options.consistency},
              {"target_loss", options.target},
              {"calibration", calibration_json(costs)},
              {"cells", array_of(cells, cell_json)}},
             out);
}

}  // namespace

ExitCode ps_simulate(const Options& options, std::ostream& out) {
  const PsSimulateOptions& wanted = options.ps.simulate;
  ps::ScaleSetup setup = setup_of(wanted);
  const InterruptScope interrupt;
  setup.cancelled = [&] { return interrupt.interrupted(); };
  std::vector<Cell> cells;
  for (const uint32_t servers : wanted.servers)
    for (const uint32_t workers : wanted.workers) cells.push_back({workers, servers});
  const auto as_in = [&](const Cell& cell) -> const ps::ScaleSetup& {
    setup.workers = cell.workers;
    setup.servers = cell.servers;
    return setup;
  };
  for (const Cell& cell : cells) ps::check_scale(as_in(cell));  // before minutes are spent
  const ps::Calibration costs = costs_of(wanted);
  setup.server = costs.server;
  setup.worker = costs.worker;
  size_t done = 0;
  try {
    for (; done < cells.size(); ++done) cells[done].result = ps::simulate_scale(as_in(cells[done]));
  } catch (const CancelledError&) {
  }
  const size_t wanted_cells = cells.size();
  const bool complete = done == wanted_cells;
  cells.resize(done);
  const ExitCode code = complete ? ExitCode::kOk : ExitCode::kInterrupted;
  if (options.json) {
    show_json(wanted, costs, cells, complete, out);
    return code;
  }
  PlanPage page{out, size_t(summary_width(options))};
  page.line(
      tr("ps simulate: sparse logistic regression under {}, {} keys, {} samples an iteration, {} each; "
         "of the iterations {:.0f} % take {} times as long; link {}. Times and loads of the last table "
         "are simulated, its losses are computed.",
         rule_text(wanted), format_count(int64_t(wanted.keys)), format_count(wanted.batch),
         format_duration(wanted.sample_ms * 1e-3), 100 * wanted.straggling, wanted.straggling_factor,
         wanted.link));
  show_calibration(wanted, costs, page);
  show_cells(wanted, cells, page);
  show_saturation(cells, page);
  if (!complete) page.line(tr("INCOMPLETE: interrupted; {} of {} rows are done", done, wanted_cells));
  return code;
}

}  // namespace ringside
