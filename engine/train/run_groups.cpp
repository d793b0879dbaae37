#include "run_groups.h"

#include "ringside/comm/thread_group.h"

namespace ringside {
namespace {

constexpr int kLateShare = 10;  // a rank that has waited for a tenth of the deadline says so

ThreadGroupOptions group_options(const TrainerConfig& config, const std::vector<Recorder*>& recorders,
                                 const std::vector<FlightRecorder*>& flights, const TrainerHooks& hooks) {
  ThreadGroupOptions options;
  options.timeout = config.timeout;
  options.check = config.check;
  options.link = config.link;
  options.recorders = recorders;
  options.flights = flights;
  if (config.check) {
    options.check_finite = true;
    options.waits = std::make_shared<WaitGraph>(config.ranks);
    options.late_after = config.timeout / kLateShare;
  }
  if (hooks.faults != nullptr) {
    options.hold = [faults = hooks.faults](int rank) { return faults->take_hold(rank); };
  }
  return options;
}

}  // namespace

RunGroups::RunGroups(const TrainerConfig& config, const std::vector<Recorder*>& recorders,
                     const std::vector<FlightRecorder*>& flights, const TrainerHooks& hooks)
    : faults_(hooks.faults) {
  ThreadGroupOptions options = group_options(config, recorders, flights, hooks);
  for (const char* name : {"dp", "default"}) {
    options.name = name;
    handles_.push_back(make_thread_group(config.ranks, options));
    if (!config.two_groups) break;
  }
  for (auto& group : handles_) {
    for (auto& handle : group) {
      if (hooks.faults != nullptr) handle = hooks.faults->wrap(std::move(handle));
      if (hooks.wrap_group) handle = hooks.wrap_group(std::move(handle));
    }
  }
}

RankGroups RunGroups::of(int rank) const {
  const auto index = static_cast<size_t>(rank);
  return {*handles_.front()[index], *handles_.back()[index]};
}

void RunGroups::break_off(int rank, const std::string& reason) {
  for (auto& group : handles_) group[static_cast<size_t>(rank)]->abort(reason);
  if (faults_ != nullptr) faults_->wake();
}

}  // namespace ringside
