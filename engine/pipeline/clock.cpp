#include "ringside/pipeline/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "message_index.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/pipeline/check.h"

namespace ringside::inline pipeline {
namespace {

constexpr size_t kNoMessage = std::numeric_limits<size_t>::max();

// Each stage goes on until it must wait for a message that is not sent yet; the order of stages changes no
// time. A planner replays hundreds of thousands of passes: what a pass needs is looked up in arrays.
class ClockRun {
 public:
  // keep: spans, and what the critical path follows from.
  ClockRun(const PipelineSchedule& schedule, const PipelineCosts& costs, bool keep)
      : schedule_(schedule),
        costs_(costs),
        keep_(keep),
        index_(schedule),
        end_(schedule.of_stage.size()),
        busy_(end_.size()),
        next_(end_.size()),
        waits_for_(end_.size(), kNoMessage),
        there_(index_.size(), -1),
        arrived_(costs.message ? index_.size() : 0, 0),
        lanes_(costs.message ? index_.lanes() : 0),
        spans_(end_.size()),
        journeys_(keep ? index_.size() : 0) {
    for (int stage = 0; stage < schedule.stages; ++stage)
      for (int chunk = 0; chunk < schedule.chunks; ++chunk) places_.push_back(place_of(stage, chunk));
    if (keep)
      for (size_t stage = 0; stage < spans_.size(); ++stage)
        spans_[stage].reserve(schedule.of_stage[stage].size());
    for (int stage = schedule.stages - 1; stage >= 0; --stage) awake_.push_back(stage);
    while (!awake_.empty()) {
      const int stage = awake_.back();
      awake_.pop_back();
      advance(stage);
    }
  }

  bool finished() const {
    for (size_t stage = 0; stage < next_.size(); ++stage)
      if (next_[stage] < schedule_.of_stage[stage].size()) return false;
    return true;
  }

  PipelineTime time() const {
    PipelineTime time;
    time.total = *std::ranges::max_element(end_), time.ideal = *std::ranges::max_element(busy_);
    time.busy = busy_;
    for (const double busy : busy_) time.idle.push_back(time.total - busy);
    return time;
  }

  std::vector<std::vector<PipelineSpan>>& spans() { return spans_; }  // as far as it came

  // Backwards from the pass that ends last.
  std::vector<PathPiece> critical_path() const {
    std::vector<PathPiece> path;
    const auto add_message = [&](size_t id) {
      const Journey& journey = journeys_[id];
      PipelineSpan span;
      span.start = journey.start, span.end = there_[id];
      path.push_back({true, span, index_.message(id)});
    };
    auto stage = size_t(std::ranges::max_element(end_) - end_.begin());
    size_t at = spans_[stage].size() - 1;
    while (true) {
      const PipelineSpan& span = spans_[stage][at];
      path.push_back({false, span, {}});
      if (span.start <= 0) break;
      if (at > 0 && spans_[stage][at - 1].end == span.start) {
        --at;
        continue;
      }
      const auto needs = needed_by(schedule_, span.stage, span.pass);
      size_t id = index_.of(*needs);
      if (costs_.message) add_message(id);
      while (journeys_[id].start > journeys_[id].sent && journeys_[id].before != id &&
             there_[journeys_[id].before] == journeys_[id].start)
        add_message(id = journeys_[id].before);
      const Journey& first = journeys_[id];
      const bool sender_was_last = first.start <= first.sent;
      const PipelineMessage message = index_.message(id);
      stage = size_t(sender_was_last ? message.from : message.to);
      at = sender_was_last ? first.sender : first.receiver - 1;
    }
    std::ranges::reverse(path);
    return path;
  }

 private:
  // A chunk of a stage: the first message index of its part, and what lies before and behind it. Index 0 is
  // of forwards, 1 of backwards, whose inputs come from behind.
  struct Place {
    size_t own[2], source[2];  // message indices of micro-batch 0
    int from[2], to[2];        // stages; -1: none
  };
  struct Lane {
    std::vector<size_t> sent;  // messages, in order
    size_t arrived = 0;        // how many of them have arrived
    double free = 0;           // when the last of these arrived
  };
  // Of a message, where spans are kept.
  struct Journey {
    double sent = 0, start = 0;
    size_t sender = 0, receiver = 0;  // indices of their stages' lists
    size_t before = 0;                // the message before it in its lane; itself: none
  };

  Place place_of(int stage, int chunk) const {
    Place place{};
    const int part = schedule_.part_of(stage, chunk);
    for (const bool backward : {false, true}) {
      const int source = part + (backward ? 1 : -1), next = part + (backward ? -1 : 1);
      const auto stage_at = [&](int at) {
        return at < 0 || at >= schedule_.parts() ? -1 : schedule_.stage_of(at);
      };
      place.own[backward] = index_.of(backward, part, 0);
      place.source[backward] = index_.of(backward, source, 0);
      place.from[backward] = stage_at(source), place.to[backward] = stage_at(next);
    }
    return place;
  }

  // Until it must wait. Where a pass of its own list is missing it waits for ever.
  void advance(int stage) {
    const auto at = size_t(stage);
    const StepSchedule& list = schedule_.of_stage[at];
    double now = end_[at], busy = busy_[at];
    size_t next = next_[at];
    for (; next < list.size(); ++next) {
      const StepPass& pass = list[next];
      const Place& place = places_[at * size_t(schedule_.chunks) + size_t(pass.chunk)];
      const bool weights = pass.kind == StepPass::kBackwardWeight, backward = pass.kind != StepPass::kForward;
      const size_t own = place.own[backward] + size_t(pass.micro);
      if (backward && there_[place.own[weights] + size_t(pass.micro)] < 0) break;
      if (!weights && place.from[backward] >= 0) {
        const size_t id = place.source[backward] + size_t(pass.micro);
        const int from = place.from[backward];
        if (there_[id] < 0) {
          waits_for_[at] = id;  // of its own list: nobody wakes it
          break;
        }
        if (from != stage)
          now = std::max(now, costs_.message ? arrival(index_.lane(from, stage), id, now, next) : there_[id]);
      }
      const double cost = costs_.pass(stage, pass);
      if (keep_) spans_[at].push_back({stage, pass, now, now + cost});
      now += cost, busy += cost;
      if (weights) continue;
      there_[own] = now;
      if (const int to = place.to[backward]; to >= 0 && to != stage) send(stage, to, own, now, next);
    }
    end_[at] = now, busy_[at] = busy, next_[at] = next;
  }

  void send(int from, int to, size_t id, double now, size_t sender) {
    if (costs_.message) lanes_[index_.lane(from, to)].sent.push_back(id);
    if (keep_) journeys_[id] = {.sent = now, .start = now, .sender = sender, .receiver = 0, .before = id};
    size_t& waited_for = waits_for_[size_t(to)];
    if (waited_for != id) return;
    waited_for = kNoMessage;
    awake_.push_back(to);
  }

  // The receiver posts the receives of all that its peer sends before it, and waits until this one is there.
  double arrival(size_t number, size_t id, double now, size_t receiver) {
    Lane& lane = lanes_[number];
    const double posted = costs_.start == MessageStart::kWhenSent ? 0 : now;
    while (arrived_[id] == 0) {
      const size_t each = lane.sent[lane.arrived];
      const double start = std::max({there_[each], lane.free, posted});
      if (keep_) {
        Journey& journey = journeys_[each];
        journey.start = start, journey.receiver = receiver;
        if (lane.arrived > 0) journey.before = lane.sent[lane.arrived - 1];
      }
      lane.free = there_[each] = start + costs_.message(index_.message(each));
      arrived_[each] = 1;
      ++lane.arrived;
    }
    return there_[id];
  }

  const PipelineSchedule& schedule_;
  const PipelineCosts& costs_;
  const bool keep_;
  const MessageIndex index_;
  std::vector<Place> places_;             // (p v)
  std::vector<double> end_, busy_;        // (p)
  std::vector<size_t> next_, waits_for_;  // (p) of the list; a message
  std::vector<double> there_;             // (message) its pass has ended, or it has arrived; below 0: not yet
  std::vector<char> arrived_;             // (message)
  std::vector<Lane> lanes_;               // (lane)
  std::vector<int> awake_;                // stages that may go on
  std::vector<std::vector<PipelineSpan>> spans_;  // (p)
  std::vector<Journey> journeys_;                 // (message)
};

ClockRun whole_run(const PipelineSchedule& schedule, const PipelineCosts& costs, bool keep) {
  ClockRun run(schedule, costs, keep);
  if (!run.finished())
    throw UsageError(schedule.name + ": " + find_hang(schedule, SendMode::kAsync)->sentence);
  return run;
}

// "F3"; of two chunks the second has small letters, of more each has its number.
std::string cell_text(const StepPass& pass, int chunks) {
  std::string text = text_of(pass, chunks > 2 ? chunks : 1);
  if (chunks == 2) text = text_of({pass.kind, pass.micro, 0}, 1);
  if (chunks == 2 && pass.chunk == 1) text.front() = char(text.front() - 'A' + 'a');
  return text;
}

}  // namespace

PipelineCosts equal_costs(int v, double forward) {
  return {.pass = [each = forward / v](int, const StepPass& pass) {
    return pass.kind == StepPass::kBackward ? 2 * each : each;
  }};
}

std::function<double(const PipelineMessage&)> over_link(
    const LinkModel& link, std::function<int64_t(const PipelineMessage&)> bytes) {
  return [link, bytes = std::move(bytes)](const PipelineMessage& message) {
    return link.seconds(1, bytes(message));
  };
}

PipelineTime time_of(const PipelineSchedule& schedule, const PipelineCosts& costs) {
  return whole_run(schedule, costs, false).time();
}

PipelineReplay replay(const PipelineSchedule& schedule, const PipelineCosts& costs) {
  ClockRun run = whole_run(schedule, costs, true);
  PipelineReplay result{.time = run.time()};
  result.critical_path = run.critical_path();
  result.spans = std::move(run.spans());
  return result;
}

ScheduleDrawing lanes_of(const PipelineSchedule& schedule) {
  require_complete(schedule);
  const int v = schedule.chunks;
  const PipelineCosts costs = equal_costs(1);  // a chunk is one unit
  ClockRun run(schedule, costs, true);
  const size_t unit = cell_text({StepPass::kForward, schedule.micro_batches - 1, v - 1}, v).size();
  const bool finished = run.finished();
  ScheduleDrawing drawing{.unit = unit};
  for (int stage = 0; stage < schedule.stages; ++stage) {
    const auto& list = schedule.of_stage[size_t(stage)];
    const auto& spans = run.spans()[size_t(stage)];
    std::string lane;
    for (const PipelineSpan& span : spans) {
      lane.resize(size_t(std::lround(span.start)) * unit, '.');
      std::string cell = cell_text(span.pass, v);
      cell.resize(size_t(std::lround(span.end - span.start)) * unit, '-');
      lane += cell;
    }
    if (spans.size() < list.size())
      lane += (lane.empty() ? "| " : " | ") + cell_text(list[spans.size()], v);
    else if (finished)
      lane.resize(size_t(std::lround(run.time().total)) * unit, '.');
    drawing.lanes.push_back(std::move(lane));
  }
  return drawing;
}

std::string drawing_of(const PipelineSchedule& schedule) {
  const size_t label = fmt::format("stage {}  ", schedule.stages - 1).size();
  const ScheduleDrawing drawn = lanes_of(schedule);
  std::string drawing;
  for (int stage = 0; const std::string& lane : drawn.lanes)
    drawing += pad(fmt::format("stage {}", stage++), label) + lane + "\n";
  return drawing;
}

}  // namespace ringside::inline pipeline
