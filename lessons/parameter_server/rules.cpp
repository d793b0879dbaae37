// BSP, SSP and ASP: how long workers wait for each other, and how long a training takes to a loss. Servers
// that are killed, one or two at a time.
#include "parts.h"
#include "ringside/parameter_server/survival.h"

namespace ringside::parameter_server_lesson {
namespace {

constexpr int64_t kLeastClocks = 200, kMostClocks = 600;

std::vector<int64_t> rules_under(const std::string& straggler) {
  return straggler == "random" ? std::vector<int64_t>{0, 1, 2, 4, kFewStaleness, kPaperStaleness, -1}
                               : std::vector<int64_t>{0, kFewStaleness, -1};
}

struct Comparison {
  Config config;
  const RunContext& context;
  std::shared_ptr<const ps::Samples> samples;
  Pen pen;

  ps::StragglerConfig speeds(const std::string& straggler, int64_t rule) const {
    ps::StragglerConfig speeds = speeds_of(config, straggler);
    speeds.consistency = consistency_of(rule);
    speeds.staleness = rule;
    return speeds;
  }

  // Long enough for a lead of s to be used up; what is computed does not matter.
  double idle(const std::string& straggler, int64_t rule) const {
    ps::StragglerConfig long_run = speeds(straggler, rule);
    long_run.clocks = std::max<int64_t>(50 * rule, kLeastClocks);
    long_run.batch = long_run.servers = 1;
    return 100 * ps::run_stragglers(long_run, samples, kKeys).idle;
  }

  ps::StragglerResult to_the_loss(const std::string& straggler, int64_t rule, int64_t draw) const {
    context.control.pass_step();
    ps::StragglerConfig training = speeds(straggler, rule);
    training.clocks = kMostClocks;
    training.target_loss = kTarget;
    training.seed += uint64_t(draw);
    return ps::run_stragglers(training, samples, kKeys);
  }

  void record(const std::string& straggler, int64_t rule, std::vector<double>& of_bsp) const {
    std::vector<double> seconds, iterations;
    for (int64_t draw = 0; draw < kDraws; ++draw) {
      const ps::StragglerResult result = to_the_loss(straggler, rule, draw);
      if (result.seconds_to_loss < 0) return;  // it does not come to the loss
      seconds.push_back(result.seconds_to_loss);
      iterations.push_back(double(result.iterations));
      for (const ps::LossAt& at : result.losses)
        if (draw == 0 && straggler == "random") record_point(pen(), name_of_rule(rule), at.seconds, at.loss);
    }
    if (rule == 0) of_bsp = seconds;
    if (of_bsp.empty()) return;
    const RatioInterval ratio = ratio_interval(seconds, of_bsp);
    record_row(pen(), RuleRow{straggler, name_of_rule(rule), rule, rounded(idle(straggler, rule)),
                              rounded(median(seconds)), median(iterations), rounded(ratio.median),
                              rounded(ratio.low), rounded(ratio.high)});
  }
};

}  // namespace

void add_rules(const Config& config, const RunContext& context, Jobs& jobs) {
  const Comparison all{config, context, samples_of(config), pen_for(context.store, kRules)};
  for (const std::string straggler : {"none", "random", "slow"})
    for (const auto of_bsp = std::make_shared<std::vector<double>>(); int64_t rule : rules_under(straggler))
      jobs.push_back({name_of_rule(rule), [=] { all.record(straggler, rule, *of_bsp); }});
}

void add_kills(const Config& config, const RunContext& context, Jobs& jobs) {
  const auto servers = config.integer("servers");
  const auto seed = uint64_t(config.integer("seed"));
  const Pen pen = pen_for(context.store, kKills);
  for (const int64_t copies : {0, 1, 2})
    jobs.push_back({tr("{} copies", copies), [=, &context] {
                      CopyRow rows[] = {{copies, 1}, {copies, 2}};
                      for (int64_t first = 1; first <= servers; ++first)
                        for (int64_t second = first; second <= servers; ++second) {
                          context.control.pass_step();
                          const ps::Survival result = ps::kill_servers(
                              uint32_t(servers), uint32_t(copies),
                              {static_cast<NodeId>(first), static_cast<NodeId>(second)}, seed);
                          record_row(pen(), KillRow{copies, first, second, result.lost, result.seconds});
                          CopyRow& row = rows[first == second ? 0 : 1];
                          ++row.trials;
                          row.with_loss += result.lost > 0 ? 1 : 0;
                          row.acknowledged += result.acknowledged;
                          row.lost += result.lost;
                          row.twice += result.twice;
                          row.seconds = std::max(row.seconds, rounded(result.seconds));
                        }
                      for (const CopyRow& row : rows)
                        if (row.trials > 0) record_row(pen(), row);
                    }});
}

}  // namespace ringside::parameter_server_lesson
