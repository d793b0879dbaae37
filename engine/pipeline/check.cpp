#include "ringside/pipeline/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "message_index.h"

namespace ringside::inline pipeline {
namespace {

// Carries a schedule out without time: each stage goes on until it must wait.
class Walk {
 public:
  Walk(const PipelineSchedule& schedule, SendMode mode)
      : schedule_(schedule),
        index_(schedule),
        mode_(mode),
        stages_(schedule.of_stage.size()),
        sent_(index_.size(), false),
        place_in_lane_(index_.size()),
        posted_(2 * stages_.size()) {
    for (int stage = 0; stage < schedule.stages; ++stage) own_.emplace_back(schedule, stage);
    if (mode == SendMode::kBlocking) number_messages();
    for (int stage = schedule.stages - 1; stage >= 0; --stage) awake_.push_back(stage);
    while (!awake_.empty()) {
      const int stage = awake_.back();
      awake_.pop_back();
      while (advance(stage)) {
      }
    }
  }

  std::optional<PipelineHang> hang() const {
    int stage = 0;
    while (stage < schedule_.stages && at_end(stage)) ++stage;
    if (stage == schedule_.stages) return std::nullopt;
    PipelineHang hang{.cycle = cycle_from(stage), .sentence = {}, .done = {}};
    for (const Stage& each : stages_) hang.done.push_back(int64_t(each.next) + (each.sending ? 1 : 0));
    return hang;
  }

 private:
  struct Stage {
    size_t next = 0;       // of its list
    bool sending = false;  // `next` is computed, and its message not received yet
    PipelineWait::Kind waits = PipelineWait::kInput;  // before or behind `next`; read at the end
  };

  const StepSchedule& list(int stage) const { return schedule_.of_stage[size_t(stage)]; }
  Stage& at(int stage) { return stages_[size_t(stage)]; }
  bool at_end(int stage) const { return stages_[size_t(stage)].next == list(stage).size(); }

  void number_messages() {
    std::vector<int64_t> in_lane(posted_.size());
    for (int stage = 0; stage < schedule_.stages; ++stage)
      for (const StepPass& pass : list(stage))
        if (const auto message = sent_by(schedule_, stage, pass); message && message->to != stage)
          place_in_lane_[index_.of(*message)] = in_lane[index_.lane(message->from, message->to)]++;
  }

  // One pass, or the end of a send; false where the stage waits or has come to its end.
  bool advance(int stage) {
    if (at_end(stage)) return false;
    Stage& state = at(stage);
    const StepPass& pass = list(stage)[state.next];
    if (!state.sending && !begins(stage, pass)) return false;
    const auto message = sent_by(schedule_, stage, pass);
    if (!state.sending) {
      own_[size_t(stage)].mark_done(pass);
      if (message && message->to != stage) {
        sent_[index_.of(*message)] = true;
        awake_.push_back(message->to);
        state.sending = mode_ == SendMode::kBlocking;
      }
    }
    if (state.sending && !is_posted(*message)) {
      state.waits = PipelineWait::kSend;
      return false;
    }
    state.sending = false;
    ++state.next;
    return true;
  }

  bool is_posted(const PipelineMessage& message) const {
    return place_in_lane_[index_.of(message)] < posted_[index_.lane(message.from, message.to)];
  }

  // Whether all that the pass needs is there. The receive is posted either way.
  bool begins(int stage, const StepPass& pass) {
    at(stage).waits = PipelineWait::kOwnPass;
    if (own_[size_t(stage)].is_missing(pass)) return false;
    const auto message = needed_by(schedule_, stage, pass);
    if (!message || message->from == stage) return true;
    if (mode_ == SendMode::kBlocking) {
      int64_t& posted = posted_[index_.lane(message->from, stage)];
      if (const int64_t now = place_in_lane_[index_.of(*message)] + 1; now > posted) {
        posted = now;
        awake_.push_back(message->from);
      }
    }
    at(stage).waits = PipelineWait::kInput;
    return sent_[index_.of(*message)];
  }

  PipelineWait wait_of(int stage) const {
    const Stage& state = stages_[size_t(stage)];
    const StepPass& pass = list(stage)[state.next];
    if (state.waits == PipelineWait::kOwnPass)
      return {state.waits, stage, pass, stage, own_[size_t(stage)].missing(pass)};
    const bool sends = state.waits == PipelineWait::kSend;
    const PipelineMessage message = *(sends ? sent_by : needed_by)(schedule_, stage, pass);
    const int on = sends ? message.to : message.from;
    const int chunk = sends ? message.to_chunk : message.from_chunk;
    return {state.waits, stage, pass, on, find_pass(schedule_, on, message.backward, message.micro, chunk)};
  }

  // Each stage that waits, waits for one that waits: following them ends in a cycle.
  std::vector<PipelineWait> cycle_from(int stage) const {
    std::vector<PipelineWait> waits;
    std::vector<int64_t> seen_at(stages_.size(), -1);
    while (seen_at[size_t(stage)] < 0) {
      seen_at[size_t(stage)] = std::ssize(waits);
      waits.push_back(wait_of(stage));
      stage = waits.back().on;
    }
    waits.erase(waits.begin(), waits.begin() + seen_at[size_t(stage)]);
    std::ranges::rotate(waits, std::ranges::min_element(waits, {}, &PipelineWait::stage));
    return waits;
  }

  const PipelineSchedule& schedule_;
  const MessageIndex index_;
  const SendMode mode_;
  std::vector<Stage> stages_;
  std::vector<OwnPasses> own_;          // (p)
  std::vector<bool> sent_;              // (message)
  std::vector<int64_t> place_in_lane_;  // (message)
  std::vector<int64_t> posted_;         // (lane) receives
  std::vector<int> awake_;              // stages that may go on
};

std::string in_words(const PipelineWait& wait, int chunks) {
  const std::string at = text_of(wait.at, chunks), missing = text_of(wait.missing, chunks);
  const bool forward = wait.at.kind == StepPass::kForward;
  if (wait.kind == PipelineWait::kInput)
    return fmt::format("stage {} waits before {} for the {} that stage {} sends behind its {}", wait.stage,
                       at, forward ? "activations" : "gradients", wait.on, missing);
  if (wait.kind == PipelineWait::kSend)
    return fmt::format("stage {} waits behind {} until stage {} receives its {}, before its {}", wait.stage,
                       at, wait.on, forward ? "activations" : "gradients", missing);
  return fmt::format("stage {} waits before {} for its own {}, which stands later in its list", wait.stage,
                     at, missing);
}

}  // namespace

std::optional<PipelineHang> find_hang(const PipelineSchedule& schedule, SendMode mode) {
  require_complete(schedule);
  std::optional<PipelineHang> hang = Walk(schedule, mode).hang();
  if (!hang) return std::nullopt;
  hang->sentence = mode == SendMode::kBlocking ? "with sends that block it hangs: " : "it hangs: ";
  for (size_t i = 0; i < hang->cycle.size(); ++i)
    hang->sentence += (i == 0 ? "" : "; ") + in_words(hang->cycle[i], schedule.chunks);
  return hang;
}

LiveActivations live_activations(const PipelineSchedule& schedule) {
  LiveActivations live;
  for (const StepSchedule& passes : schedule.of_stage) {
    int64_t now = 0, peak = 0;
    std::vector<int64_t>& after = live.after.emplace_back();
    for (const StepPass& pass : passes) {
      if (pass.kind == StepPass::kForward) ++now;
      if (pass.kind == StepPass::kBackward || pass.kind == StepPass::kBackwardWeight) --now;
      peak = std::max(peak, now);
      after.push_back(now);
    }
    live.peak.push_back(peak);
  }
  return live;
}

}  // namespace ringside::inline pipeline
