#include "ringside/parameter_server/range_state.h"

#include <algorithm>

#include "ringside/base/check.h"

namespace ringside::inline ps {
namespace {

void refuse_unless(bool holds, const std::string& message) {
  if (!holds) throw FrameError(FrameFault::kValue, "{}", message);
}

std::vector<float> brought_together(const std::vector<float>& from, const std::vector<size_t>& places) {
  std::vector<float> together;
  together.reserve(places.size());
  for (const size_t place : places) together.push_back(from[place]);
  return together;
}

}  // namespace

RangeState::RangeState(const Cluster& cluster, const KeyRange& range)
    : range_(range),
      group_(cluster.groups.at(range.group)),
      optimizer_(make_optimizer(group_.optimizer)),
      values_(range.size()),
      state_(optimizer_.state().size(), std::vector<float>(range.size())) {
  for (size_t i = 0; i < values_.size(); ++i) values_[i] = cluster.initial(range.begin + i);
}

void RangeState::apply(const Operation& operation) {
  RINGSIDE_CHECK_EQ(operation.index, index_ + 1);
  index_ = operation.index;
  if (operation.members_version != 0)
    set_members(operation);
  else
    push(operation);
  if (group_.consistency == Consistency::kBsp) apply_complete_clocks();
}

void RangeState::set_members(const Operation& operation) {
  members_version_ = operation.members_version;
  for (auto& [id, worker] : workers_) worker.is_member = false;
  for (const Member& member : operation.members) {
    // Who was here before goes on where it stopped.
    WorkerClock& worker =
        workers_.try_emplace(member.worker, WorkerClock{.worker = member.worker, .clock = member.from_clock})
            .first->second;
    worker.rank = member.rank;
    worker.is_member = true;
  }
  count_clocks();
}

void RangeState::count_clocks() {
  members_at_.clear();
  newest_ = 0;
  for (const auto& [id, worker] : workers_) {
    newest_ = std::max(newest_, worker.clock);
    if (worker.is_member && worker.clock != kNoClock) ++members_at_[worker.clock];
  }
}

void RangeState::advance(WorkerClock& worker, int64_t clock) {
  if (clock <= worker.clock) return;
  if (worker.is_member) {
    if (const auto before = members_at_.find(worker.clock); before != members_at_.end())
      if (--before->second == 0) members_at_.erase(before);
    ++members_at_[clock];
  }
  worker.clock = clock;
  newest_ = std::max(newest_, clock);
}

void RangeState::push(const Operation& operation) {
  WorkerClock& worker = workers_.at(operation.worker);
  RINGSIDE_CHECK_LT(worker.sequence, operation.sequence);
  worker.sequence = operation.sequence;
  worker.index = operation.index;
  advance(worker, operation.clock + 1);
  if (operation.gradient.values.empty()) return;
  const bool too_late = operation.clock < applied_clock_;  // of one who joined or came back
  if (group_.consistency == Consistency::kBsp && !too_late)
    waiting_.push_back({operation.clock, worker.rank, operation.worker, operation.gradient});
  else
    update({&operation.gradient});
}

// BSP: an iteration's gradients are added up in rank order, once the last member's has come.
void RangeState::apply_complete_clocks() {
  if (!waits_for_anyone()) return;
  for (; applied_clock_ < oldest_clock(); ++applied_clock_) {
    int64_t next = oldest_clock();  // clocks of which nobody has pushed anything are passed over
    for (const Waiting& one : waiting_) next = std::min(next, one.clock);
    applied_clock_ = std::max(applied_clock_, next);
    if (applied_clock_ >= oldest_clock()) return;
    std::vector<Waiting> ready;
    std::erase_if(waiting_, [&](Waiting& one) {
      if (one.clock > applied_clock_) return false;
      ready.push_back(std::move(one));
      return true;
    });
    std::ranges::sort(ready, {}, [](const Waiting& one) { return std::pair(one.rank, one.worker); });
    std::vector<const KeyedValues*> gradients;
    for (const Waiting& one : ready) gradients.push_back(&one.gradient);
    if (!gradients.empty()) update(gradients);
  }
}

// Adds the gradients up, in fp32 and in their order, and applies the optimizer's rule to the keys that they
// name.
void RangeState::update(const std::vector<const KeyedValues*>& gradients) {
  ++updates_;
  std::vector<size_t> places;
  if (gradients.size() == 1 && !gradients.front()->whole) {  // without a look at the others of the range
    for (const uint64_t key : gradients.front()->keys) places.push_back(key - range_.begin);
    std::vector<float> listed = gradients.front()->values;
    return update_elements(listed, places);
  }
  std::vector<float> sum(range_.size());
  std::vector<uint8_t> touched(range_.size());
  for (const KeyedValues* gradient : gradients) {
    for (size_t i = 0; i < gradient->values.size(); ++i) {
      const size_t place = gradient->whole ? i : gradient->keys[i] - range_.begin;
      sum[place] = touched[place] ? sum[place] + gradient->values[i] : gradient->values[i];
      touched[place] = 1;
    }
  }
  for (size_t place = 0; place < touched.size(); ++place)
    if (touched[place]) places.push_back(place);
  if (places.size() < range_.size()) sum = brought_together(sum, places);
  update_elements(sum, places);
}

// Values and state of these places are brought together, changed by the rule, and put back.
void RangeState::update_elements(std::vector<float>& gradient, const std::vector<size_t>& places) {
  const auto put_back = [&](const std::vector<float>& together, std::vector<float>& to) {
    for (size_t i = 0; i < places.size(); ++i) to[places[i]] = together[i];
  };
  const bool all = places.size() == values_.size();
  std::vector<float> some = all ? std::vector<float>() : brought_together(values_, places);
  std::vector<std::vector<float>> some_state;
  for (size_t s = 0; !all && s < state_.size(); ++s)
    some_state.push_back(brought_together(state_[s], places));
  Elements elements{.count = int64_t(places.size()),
                    .weights = all ? values_.data() : some.data(),
                    .gradient = gradient.data()};
  for (std::vector<float>& one : all ? state_ : some_state) elements.state.push_back(one.data());
  optimizer_.update(elements, {group_.learning_rate, updates_, group_.gradient_scale});
  if (all) return;
  put_back(some, values_);
  for (size_t s = 0; s < state_.size(); ++s) put_back(some_state[s], state_[s]);
}

const RangeState::WorkerClock& RangeState::known(NodeId worker) const {
  static const WorkerClock kNobody{.is_member = false, .clock = kNoClock};
  const auto found = workers_.find(worker);
  return found == workers_.end() ? kNobody : found->second;
}

int64_t RangeState::oldest_clock() const {
  return members_at_.empty() ? newest_ : members_at_.begin()->first;
}

bool RangeState::may_read(NodeId worker, int64_t clock) const {
  if (clock < 0 || group_.consistency == Consistency::kAsp || !waits_for_anyone()) return true;
  const int64_t staleness = group_.consistency == Consistency::kSsp ? group_.staleness : 0;
  const int64_t own = clock_of(worker);
  return oldest_clock() >= clock - staleness && (own == kNoClock || own >= clock);
}

void RangeState::add_to(NodeMemory& memory) const {
  memory.parameters += bytes_in(values_);
  for (const std::vector<float>& one : state_) memory.optimizer += bytes_in(one);
  for (const Waiting& one : waiting_) memory.gradients += bytes_of(one.gradient);
}

Bytes RangeState::save() const {
  std::vector<WorkerClock> workers;
  for (const auto& [id, worker] : workers_) workers.push_back(worker);
  Writer writer;
  writer(range_.begin, range_.end, index_, members_version_, updates_, applied_clock_, workers, waiting_,
         values_, state_);
  return writer.take();
}

void RangeState::load(const Bytes& bytes) {
  Reader reader(bytes);
  KeyRange range = range_;
  std::vector<WorkerClock> workers;
  reader(range.begin, range.end, index_, members_version_, updates_, applied_clock_, workers, waiting_,
         values_, state_);
  reader.end();
  refuse_unless(range.begin == range_.begin && range.end == range_.end, "a snapshot of another range");
  refuse_unless(values_.size() == range_.size(), "a snapshot with too few values");
  refuse_unless(state_.size() == optimizer_.state().size(), "a snapshot of another optimizer");
  for (const std::vector<float>& one : state_)
    refuse_unless(one.size() == range_.size(), "a snapshot with too little state");
  for (const Waiting& one : waiting_) {
    check_clock(one.clock);
    check_keys(one.gradient, range_);
  }
  check_clock(applied_clock_);
  check_clock(updates_);
  for (const WorkerClock& worker : workers) refuse_unless(is_member_clock(worker.clock), "no clock");
  workers_.clear();
  for (const WorkerClock& worker : workers) workers_[worker.worker] = worker;
  count_clocks();
}

void check_operation(const Operation& operation, const KeyRange& range) {
  for (const Member& member : operation.members)
    refuse_unless(is_member_clock(member.from_clock), "a member with no clock");
  if (operation.members_version != 0) return;
  check_clock(operation.clock);
  check_keys(operation.gradient, range);
}

void check_keys(const KeyedValues& values, const KeyRange& range) {
  if (values.whole) {
    refuse_unless(values.keys.empty() && values.values.size() == range.size(),
                  "not one value for each key of the range");
    return;
  }
  refuse_unless(values.keys.size() == values.values.size(), "not one value for each key");
  check_keys(values.keys, range);
}

void check_keys(const std::vector<uint64_t>& keys, const KeyRange& range) {
  refuse_unless(keys.empty() || (keys.front() >= range.begin && keys.back() < range.end),
                "a key of another range");
  refuse_unless(std::ranges::adjacent_find(keys, std::greater_equal<>()) == keys.end(),
                "keys that do not rise");
}

}  // namespace ringside::inline ps
