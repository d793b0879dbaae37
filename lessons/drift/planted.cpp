// The three bugs, each planted between a strategy and its process group. Everything else is passed on.
#include <cstring>

#include "ringside/comm/then_work.h"
#include "rows.h"

namespace ringside::lessons::drift {
namespace {

// Collectives of these tags are left out: each rank goes on with what it has.
class LeftOut : public GroupDecorator {
 public:
  LeftOut(std::unique_ptr<ProcessGroup> inner, const std::string& what, const std::string& unit)
      : GroupDecorator(std::move(inner)), what_(what), unit_(unit) {}
  WorkPtr start(Collective call) override {
    if (call.tag.what == what_ && (unit_.empty() || call.tag.unit == unit_))
      return std::make_shared<ThenWork>();
    return GroupDecorator::start(std::move(call));
  }

 private:
  const std::string what_, unit_;  // no unit: all of them
};

// Stage 3 uses a layer before its gather has ended: what lies there is what the gather before brought. That
// is the same, but in a step's first forward: there it is the layer of the step before.
class StaleGather : public GroupDecorator {
 public:
  using GroupDecorator::GroupDecorator;
  WorkPtr start(Collective call) override {
    if (call.tag.what != "parameters" || call.tag.unit != "layer 0")
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

Wrap without(const char* what, const char* unit = "") {
  return [=](std::unique_ptr<ProcessGroup> inner) {
    return std::make_unique<LeftOut>(std::move(inner), what, unit);
  };
}

}  // namespace

Wrap planted_in(const std::string& training) {
  if (training == kBucket) return without("gradients", "bucket 1");
  if (training == kNorm) return without("norm");
  if (training != kStale) return nullptr;
  return [](std::unique_ptr<ProcessGroup> inner) { return std::make_unique<StaleGather>(std::move(inner)); };
}

}  // namespace ringside::lessons::drift
