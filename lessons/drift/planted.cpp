// The three bugs, each planted between a strategy and its process group. Everything else is passed on.
#include <cstring>
#include <map>
#include <utility>

#include "rows.h"

namespace ringside::drift {
namespace {

constexpr char kSpoilt[] = "bucket 1", kSpoiltLayer[] = "layer 0";

// Over when it is waited for; then does something more on this rank. Of no work: nothing is waited for.
class ThenWork : public Work {
 public:
  explicit ThenWork(WorkPtr work = nullptr, std::function<void()> then = {})
      : work_(std::move(work)), then_(std::move(then)) {}
  void wait() override {
    if (work_) work_->wait();
    if (then_) std::exchange(then_, nullptr)();
  }
  bool done() const override { return !work_ || work_->done(); }

 private:
  WorkPtr work_;
  std::function<void()> then_;
};

// One bucket is not summed: each rank goes on with its own gradients.
struct BucketNotReduced : GroupDecorator {
  using GroupDecorator::GroupDecorator;
  WorkPtr start(Collective call) override {
    if (call.tag.what == "gradients" && call.tag.unit == kSpoilt) return std::make_shared<ThenWork>();
    return GroupDecorator::start(std::move(call));
  }
};

// The squares of the shards are not added up: each rank clips by the norm of its own.
struct NormOfAShard : GroupDecorator {
  using GroupDecorator::GroupDecorator;
  WorkPtr start(Collective call) override {
    if (call.tag.what == "norm") return std::make_shared<ThenWork>();
    return GroupDecorator::start(std::move(call));
  }
};

// Stage 3 uses a layer before its gather has ended: what lies there is what the gather before brought. That
// is the same, but in a step's first forward: there it is the layer of the step before.
struct StaleGather : GroupDecorator {
  using GroupDecorator::GroupDecorator;
  WorkPtr start(Collective call) override {
    if (call.tag.what != "parameters" || call.tag.unit != kSpoiltLayer)
      return GroupDecorator::start(std::move(call));
    const MutableView whole = call.output;
    return std::make_shared<ThenWork>(GroupDecorator::start(std::move(call)), [this, whole] {
      const auto* bytes = static_cast<const std::byte*>(whole.data);
      std::vector<std::byte> fresh(bytes, bytes + whole.bytes());
      std::vector<std::byte>& before = before_[whole.count];
      if (!before.empty()) std::memcpy(whole.data, before.data(), before.size());
      before = std::move(fresh);
    });
  }

 private:
  std::map<int64_t, std::vector<std::byte>> before_;  // by a bucket's elements
};

template <typename Bug>
Wrap with() {
  return [](std::unique_ptr<ProcessGroup> inner) { return std::make_unique<Bug>(std::move(inner)); };
}

}  // namespace

Wrap planted_in(const std::string& training) {
  if (training == kBucket) return with<BucketNotReduced>();
  if (training == kNorm) return with<NormOfAShard>();
  if (training == kStale) return with<StaleGather>();
  return nullptr;
}

}  // namespace ringside::drift
