#include <utility>

#include "ringside/comm/wiring.h"

namespace ringside::inline comm {
namespace {

class Prefixed final : public ProcessWiring {
 public:
  Prefixed(std::shared_ptr<ProcessWiring> process, std::string prefix)
      : process_(std::move(process)), prefix_(std::move(prefix)) {}
  int rank() const override { return process_->rank(); }
  int size() const override { return process_->size(); }
  std::unique_ptr<Transport> connect(const std::string& name, const std::vector<int>& ranks,
                                     int place) override {
    return process_->connect(prefix_ + name, ranks, place);
  }
  void abort(int rank, const Failure& failure) override { process_->abort(rank, failure); }
  void look_for_cycle() override { process_->look_for_cycle(); }
  void show(const FlightRecorder& flight, const std::string& prefix) override {
    process_->show(flight, prefix_ + prefix);
  }
  void hide(const FlightRecorder& flight) override { process_->hide(flight); }
  std::unique_ptr<Live> live(const std::string& prefix) override { return process_->live(prefix_ + prefix); }
  Shared share(const std::string& own, TimePoint deadline) override { return process_->share(own, deadline); }
  int64_t clock_shift_ns(int rank) const override { return process_->clock_shift_ns(rank); }

 private:
  const std::shared_ptr<ProcessWiring> process_;
  const std::string prefix_;
};

}  // namespace

std::shared_ptr<ProcessWiring> for_ranks(const std::shared_ptr<ProcessWiring>& process, int ranks) {
  return process != nullptr && process->size() == ranks ? process : nullptr;
}

std::shared_ptr<ProcessWiring> with_prefix(std::shared_ptr<ProcessWiring> process,
                                           const std::string& prefix) {
  if (process == nullptr) return nullptr;
  return std::make_shared<Prefixed>(std::move(process), prefix);
}

}  // namespace ringside::inline comm
