#include "ringside/train/in_turns.h"

#include <algorithm>
#include <utility>

#include "ringside/base/check.h"
#include "ringside/base/threads.h"
#include "ringside/train/booked.h"

namespace ringside::inline training {

SteppedTraining::SteppedTraining(TrainerConfig config, const Dataset& dataset, TraceStore& store,
                                 std::string section, const Attributes& attributes,
                                 const std::shared_ptr<ProcessWiring>& process)
    : config_(std::move(config)), dataset_(dataset), store_(store), section_(std::move(section)) {
  config_.agree_on_steps = true;
  hooks_.attributes = attributes;
  hooks_.attributes[kCores] = int64_t{std::thread::hardware_concurrency()};
  hooks_.control = &control_;
  hooks_.process = process;
  hooks_.prefix = section_ + "/";  // several trainings have groups at once
  hooks_.end_step = [](RankLoop& loop, int64_t step) {
    record_row(loop.recorder(), CpuRow{step, thread_cpu_ns()});
    if (loop.is_time_to_evaluate(step)) loop.evaluate(step);
  };
  hooks_.on_metrics = [this](const StepMetrics& metrics) { step_ms_ = metrics.ms; };
  hooks_.on_step = [this](int64_t) { note([this] { ++taken_; }); };
  control_.pause();
  thread_ = std::thread([this] { run(); });
}

SteppedTraining::~SteppedTraining() {
  control_.cancel();
  thread_.join();
}

void SteppedTraining::run() {
  set_thread_name("turns");
  try {
    result_ = train(config_, dataset_, store_, section_, hooks_);
  } catch (...) {
    error_ = std::current_exception();
  }
  note([this] { ended_ = true; });
}

void SteppedTraining::note(const std::function<void()>& change) {
  const std::lock_guard lock(mutex_);
  change();
  changed_.notify_all();
}

double SteppedTraining::step() {
  RINGSIDE_CHECK_LT(asked_, config_.steps);
  const bool last = ++asked_ == config_.steps;
  control_.step();
  std::unique_lock lock(mutex_);
  // Each wait within the training has a deadline, so that it steps or ends.
  changed_.wait(lock, [&] { return ended_ || (!last && taken_ >= asked_); });
  if (ended_ && error_) std::rethrow_exception(error_);
  return step_ms_;
}

const TrainResult& SteppedTraining::result() const {
  RINGSIDE_CHECK(asked_ == config_.steps, "section '" << section_ << "' has steps left");
  return result_;
}

std::vector<double> without_warm_up(std::vector<double> steps) {
  steps.erase(steps.begin(), steps.begin() + std::min<std::ptrdiff_t>(kWarmUpSteps, std::ssize(steps)));
  return steps;
}

std::vector<double> cpu_of_rounds(const SectionView& section, int rank) {
  std::vector<double> all;
  double before = 0;
  for (const RowEvent& event : section.rows(rank)) {
    const auto row = row_as<CpuRow>(event);
    if (!row) continue;
    if (row->step >= kWarmUpSteps) all.push_back(row->ns - before);
    before = row->ns;
  }
  return all;
}

TrainerConfig config_in_turns(TrainerConfig config, int64_t rounds) {
  config.steps = kWarmUpSteps + rounds;
  config.agree_on_steps = true;
  return config;
}

std::vector<TrainResult> train_in_turns(const std::vector<Turn>& turns, int64_t rounds,
                                        const Dataset& dataset, TraceStore& store, RunControl& control,
                                        TraceRows& rows, const std::function<void()>& on_turn,
                                        const std::shared_ptr<ProcessWiring>& process) {
  std::vector<std::unique_ptr<SteppedTraining>> trainings;
  const auto take = [&](SteppedTraining& training) {
    training.step();
    on_turn();
  };
  for (const Turn& turn : turns) {  // warmed up before the next one begins, so that sections are in order
    control.pass_step();
    trainings.push_back(std::make_unique<SteppedTraining>(config_in_turns(turn.config, rounds), dataset,
                                                          store, turn.section, turn.attributes, process));
    for (int64_t step = 0; step < kWarmUpSteps; ++step) take(*trainings.back());
  }
  for (int64_t round = 0; round < rounds; ++round) {
    for (auto& training : trainings) {
      control.pass_step();
      take(*training);
    }
    std::ranges::reverse(trainings);
  }
  if (rounds % 2 == 1) std::ranges::reverse(trainings);
  std::vector<TrainResult> results;
  const Trace trace = store.snapshot();
  for (size_t i = 0; i < turns.size(); ++i) {
    results.push_back(trainings[i]->result());
    append(rows.ledger, ledger_of(trace, turns[i].section, config_in_turns(turns[i].config, rounds), dataset,
                                  results.back().interruption));
  }
  return results;
}

}  // namespace ringside::inline training
