#include "train_watch.h"

#include <fmt/format.h>

#include "progress_line.h"
#include "ringside/base/units.h"

namespace ringside {

void TrainWatch::step(const StepMetrics& metrics) {
  if (log_ != nullptr) log_->step(metrics);
  const std::lock_guard lock(mutex_);
  latest_ = SteadyClock::now();
  if (first_ < 0) {
    first_ = metrics.step;
    began_ = latest_ - std::chrono::duration_cast<SteadyClock::duration>(
                           std::chrono::duration<double, std::milli>(metrics.ms));
  }
  last_ = metrics;
  done_ = metrics.step + 1;
}

void TrainWatch::evaluation(int64_t steps, const Confusion& counts, double loss) {
  // A run that is cancelled evaluates where it is: its files are those of one that was not.
  const TrainerConfig& trainer = setup_.trainer;
  const bool is_planned = steps == trainer.steps || steps % trainer.evaluate_every == 0;
  if (log_ != nullptr && is_planned && newest().steps != steps) log_->evaluation(steps, counts, loss);
  const std::lock_guard lock(mutex_);
  seen_ = {steps, counts, loss};
  news_.push_back(fmt::format("step {} of {}   loss {:.4f}   held out {:.4f}, {:.1f} % right{}",
                              format_count(steps), format_count(trainer.steps), last_.loss, loss,
                              100 * counts.accuracy(), time_left()));
}

double TrainWatch::rate() const {
  const double seconds = std::chrono::duration<double>(latest_ - began_).count();
  if (first_ < 0 || seconds <= 0) return 0;
  return double((done_ - first_) * setup_.trainer.batch * setup_.trainer.accumulate) / seconds;
}

std::string TrainWatch::time_left() const {
  const TrainerConfig& trainer = setup_.trainer;
  const auto left = double((trainer.steps - done_) * trainer.batch * trainer.accumulate);
  return rate() > 0 && left > 0 ? "   " + ringside::time_left(left / rate()) : "";
}

double TrainWatch::samples_per_second() const {
  const std::lock_guard lock(mutex_);
  return rate();
}

int64_t TrainWatch::steps() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

std::string TrainWatch::line() const {
  const std::lock_guard lock(mutex_);
  const int64_t all = setup_.trainer.steps;
  if (done_ == 0) return fmt::format("step 0 of {}", format_count(all));
  std::string text = fmt::format("step {} of {}   {} samples/s   loss {:.4f}", format_count(done_),
                                 format_count(all), format_count(int64_t(rate())), last_.loss);
  if (seen_.steps >= 0) text += fmt::format("   {:.1f} % right", 100 * seen_.counts.accuracy());
  return text + time_left();
}

std::vector<std::string> TrainWatch::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

TrainWatch::Seen TrainWatch::newest() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

}  // namespace ringside
