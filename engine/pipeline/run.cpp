#include "ringside/pipeline/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "message_index.h"
#include "ringside/base/error.h"

namespace ringside::inline pipeline {
namespace {

// On both sides alike: the chunk is the sender's.
Tag tag_of(const PipelineMessage& message, int chunks) {
  std::string unit = fmt::format("micro {}", message.micro);
  if (chunks > 1) unit = fmt::format("chunk {} {}", message.from_chunk, unit);
  return {message.backward ? "activation gradients" : "activations", unit};
}

// All that one peer sends to this stage, and how far its receives are posted.
struct Inbox {
  int peer = 0;
  std::vector<PipelineMessage> messages{};  // in the order in which the peer sends
  std::vector<WorkPtr> posted{};            // of the first of them
};

// One stage, through one step or one evaluation's forward.
class StageRun {
 public:
  // lists: what the stages do, in order.
  StageRun(const PipelineSchedule& lists, ProcessGroup* pp, PipelineWork& work,
           const PipelineRunOptions& options)
      : lists_(lists),
        pp_(pp),
        stage_(pp == nullptr ? 0 : pp->rank()),
        work_(work),
        options_(options),
        own_(lists, stage_),
        whole_backward_(size_t(lists.micro_batches * lists.chunks), 0) {
    for (const StepPass& pass : list())
      if (pass.kind == StepPass::kBackward) whole_backward_[at(pass.micro, pass.chunk)] = 1;
    for (int peer = 0; peer < lists.stages; ++peer)
      if (auto messages = messages_between(lists, peer, stage_); !messages.empty())
        inboxes_.push_back({peer, std::move(messages)});
  }

  void run() {
    for (const StepPass& pass : list()) {
      release_sent();
      receive(pass);
      if (options_.before_pass) options_.before_pass(pass);
      work_.compute(pass);
      if (options_.behind_pass) options_.behind_pass(pass);
      own_.mark_done(pass);
      pass_on(pass);
    }
    for (const Sent& each : sent_) finish(each);
  }

 private:
  struct Sent {
    WorkPtr work;
    StepPass pass;
  };

  const StepSchedule& list() const { return lists_.of_stage[size_t(stage_)]; }
  size_t at(int64_t micro, int chunk) const { return size_t(micro * lists_.chunks + chunk); }

  // What a message is for, on this stage.
  StepPass receiver_of(const PipelineMessage& message) const {
    const bool whole = whole_backward_[at(message.micro, message.to_chunk)] != 0;
    const auto backward = whole ? StepPass::kBackward : StepPass::kBackwardInput;
    return {message.backward ? backward : StepPass::kForward, message.micro, message.to_chunk};
  }

  // Posts the receives of all that the peer sends before it, too, and waits for what the pass needs.
  void receive(const StepPass& pass) {
    if (own_.is_missing(pass))
      throw UsageError(
          "stage {}: {} needs its own {}, which stands later in its list: it would wait for itself", stage_,
          text_of(pass, lists_.chunks), text_of(own_.missing(pass), lists_.chunks));
    const auto message = needed_by(lists_, stage_, pass);
    if (!message || message->from == stage_) return;
    Inbox& inbox = *std::ranges::find(inboxes_, message->from, &Inbox::peer);
    const auto index = size_t(std::ranges::find(inbox.messages, *message) - inbox.messages.begin());
    while (inbox.posted.size() <= index) {
      const PipelineMessage& next = inbox.messages[inbox.posted.size()];
      inbox.posted.push_back(
          pp_->recv(work_.room_for(receiver_of(next)), next.from, tag_of(next, lists_.chunks)));
    }
    inbox.posted[index]->wait();
  }

  void pass_on(const StepPass& pass) {
    const auto message = sent_by(lists_, stage_, pass);
    if (!message) return;
    if (message->to == stage_) return work_.hand_over(pass, receiver_of(*message));
    Sent sent{pp_->send(work_.result_of(pass), message->to, tag_of(*message, lists_.chunks)), pass};
    if (options_.mode == SendMode::kBlocking) return finish(sent);
    sent_.push_back(std::move(sent));
  }

  void finish(const Sent& sent) {
    sent.work->wait();
    work_.sent(sent.pass);
  }

  void release_sent() {
    std::erase_if(sent_, [&](const Sent& each) {
      if (!each.work->done()) return false;
      finish(each);
      return true;
    });
  }

  const PipelineSchedule& lists_;
  ProcessGroup* const pp_;
  const int stage_;
  PipelineWork& work_;
  const PipelineRunOptions& options_;
  OwnPasses own_;
  std::vector<char> whole_backward_;  // (micro, chunk)
  std::vector<Inbox> inboxes_;
  std::vector<Sent> sent_;  // and not known to be received
};

void require_group(const PipelineSchedule& schedule, const ProcessGroup* pp) {
  const int size = pp == nullptr ? 1 : pp->size();
  if (size != schedule.stages)
    throw UsageError("a schedule of {} stages over a group of {}: they must be as many", schedule.stages,
                     size);
}

}  // namespace

void run_step(const PipelineSchedule& schedule, ProcessGroup* pp, PipelineWork& work,
              const PipelineRunOptions& options) {
  require_group(schedule, pp);
  StageRun(schedule, pp, work, options).run();
}

void run_forward(const PipelineSchedule& schedule, ProcessGroup* pp, PipelineWork& work, int64_t micro,
                 const PipelineRunOptions& options) {
  require_group(schedule, pp);
  PipelineSchedule forwards = schedule;
  forwards.micro_batches = micro + 1;  // one of them alone
  forwards.of_stage.assign(size_t(schedule.stages), {});
  for (int part = 0; part < schedule.parts(); ++part)
    forwards.of_stage[size_t(schedule.stage_of(part))].push_back(
        {StepPass::kForward, micro, schedule.chunk_of(part)});
  StageRun(forwards, pp, work, options).run();
}

}  // namespace ringside::inline pipeline
