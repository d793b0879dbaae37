// What a stage of a test computes: numbers that say which micro-batch and part they are of, so that a message
// that went astray is seen. It counts what lives.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "ringside/pipeline/run.h"

namespace ringside::testing {

class CountingWork final : public PipelineWork {
 public:
  static constexpr int64_t kElements = 5;

  // looks: a wrong input is an error; else it goes on, as a model does.
  CountingWork(const PipelineSchedule& schedule, int stage, bool looks = true)
      : schedule_(schedule), stage_(stage), looks_(looks) {}

  MutableView room_for(const StepPass& receiver) override { return view(inputs_[key(receiver)]); }

  void compute(const StepPass& pass) override {
    done.push_back(pass);
    if (pass.kind == StepPass::kForward) forward(pass);
    if (is_backward(pass.kind)) backward(pass);
    const bool ends = pass.kind == StepPass::kBackward || pass.kind == StepPass::kBackwardWeight;
    if (ends && activations_.erase({pass.micro, pass.chunk}) == 0) fail(pass, "has no activations");
    live.push_back(std::ssize(activations_));
  }

  ConstView result_of(const StepPass& sender) override { return view(results_.at(key(sender))); }
  void sent(const StepPass& sender) override {
    if (results_.erase(key(sender)) == 0) fail(sender, "was sent and not computed");
  }
  void hand_over(const StepPass& from, const StepPass& to) override {
    inputs_[key(to)] = std::move(results_.at(key(from)));
    results_.erase(key(from));
  }

  // What is left behind a step: nothing.
  size_t kept() const { return inputs_.size() + results_.size() + activations_.size(); }

  StepSchedule done;          // in order
  std::vector<int64_t> live;  // behind each

 private:
  using Values = std::vector<int64_t>;
  using Key = std::tuple<bool, int64_t, int>;  // backward, micro, chunk
  static Key key(const StepPass& pass) { return {pass.kind != StepPass::kForward, pass.micro, pass.chunk}; }
  static MutableView view(Values& values) {
    values.resize(kElements);
    return {values.data(), kElements, Dtype::kInt64};
  }
  int part(const StepPass& pass) const { return schedule_.part_of(stage_, pass.chunk); }
  // Of what lies between part - 1 and part.
  static Values values(bool backward, int64_t micro, int part) {
    Values values(kElements);
    for (int64_t i = 0; i < kElements; ++i)
      values[static_cast<size_t>(i)] = ((micro * 1000 + part) * 2 + (backward ? 1 : 0)) * 10 + i;
    return values;
  }
  [[noreturn]] void fail(const StepPass& pass, const std::string& what) const {
    throw std::logic_error(fmt::format("stage {}: {} {}", stage_, text_of(pass, schedule_.chunks), what));
  }
  void take_input(const StepPass& pass, const Values& expected) {
    const auto found = inputs_.find(key(pass));
    if (found == inputs_.end() || (looks_ && found->second != expected))
      fail(pass, "has a wrong input, or none");
    inputs_.erase(found);
  }

  void forward(const StepPass& pass) {
    const int at = part(pass);
    if (at > 0) take_input(pass, values(false, pass.micro, at));
    activations_[{pass.micro, pass.chunk}] = true;
    if (at + 1 < schedule_.parts()) results_[key(pass)] = values(false, pass.micro, at + 1);
  }
  void backward(const StepPass& pass) {
    const int at = part(pass);
    if (!activations_.contains({pass.micro, pass.chunk})) fail(pass, "has no activations");
    if (at + 1 < schedule_.parts()) take_input(pass, values(true, pass.micro, at + 1));
    if (at > 0) results_[key(pass)] = values(true, pass.micro, at);
  }

  const PipelineSchedule& schedule_;
  const int stage_;
  const bool looks_;
  std::map<Key, Values> inputs_, results_;
  std::map<std::pair<int64_t, int>, bool> activations_;
};

}  // namespace ringside::testing
