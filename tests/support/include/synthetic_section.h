// Sections made by hand for pictures: one small step with everything in it, and a huge one.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ringside/base/random.h"
#include "ringside/trace/trace.h"

namespace ringside::test {

struct Synthetic {
  std::shared_ptr<TraceStore> store;
  std::vector<Recorder*> recorders;
  Trace trace;
  SectionView section;
  int64_t start_ns = 0, busy_ns = 0, end_ns = 0;

  void snapshot() {
    trace = store->snapshot();
    section = trace.sections().at(0);
  }
};

// Writes what one rank does, and keeps the sums that the allocation hook would.
class RankWriter {
 public:
  RankWriter(TraceStore& store, Recorder& recorder) : store_(store), recorder_(recorder) {}
  void memory(int64_t time, Category category, const std::string& unit, const std::string& tensor,
              int64_t delta) {
    const auto c = static_cast<size_t>(category);
    live_[c] += delta;
    total_ += delta;
    peak_[c] = std::max(peak_[c], live_[c]);
    recorder_.memory({.time_ns = time,
                      .delta_bytes = delta,
                      .live_bytes = live_[c],
                      .peak_bytes = peak_[c],
                      .total_bytes = total_,
                      .unit = store_.intern(unit),
                      .tensor = store_.intern(tensor),
                      .category = category});
  }
  // Three events; only those up to `until` happen.
  void collective(Op op, const std::string& tag, const std::string& unit, int64_t created, int64_t started,
                  int64_t completed, int64_t until = INT64_MAX, const std::string& group = "dp") {
    CollectiveEvent event;
    event.op = op;
    event.group = store_.intern(group);
    event.tag = store_.intern(tag);
    event.unit = store_.intern(unit);
    event.dtype = Dtype::kBFloat16;
    event.elements = 1000;
    event.bytes_in = 2000;
    event.collective_seq_id = seq_++;
    event.time_created_ns = created;
    if (created <= until) recorder_.collective(event);
    event.time_started_ns = started;
    event.state = CollectiveState::kStarted;
    if (started <= until) recorder_.collective(event);
    event.time_completed_ns = completed;
    event.bytes_sent = 1500;
    event.state = CollectiveState::kCompleted;
    if (completed <= until) recorder_.collective(event);
  }
  void span(const char* name, int64_t start, int64_t end, int64_t step, const std::string& unit = "") {
    recorder_.span(name, start, end, step, unit);
  }

 private:
  TraceStore& store_;
  Recorder& recorder_;
  int64_t live_[kCategoryCount] = {}, peak_[kCategoryCount] = {}, total_ = 0, seq_ = 0;
};

// Forward and backward of four layers in 10 ms. At busy_ns every rank is in the middle of the reduce-scatter
// of bucket 3, and an all-gather waits. An incomplete one ends there.
inline Synthetic small_section(int ranks, bool complete = true) {
  Synthetic made;
  made.store = TraceStore::create("synthetic");
  made.recorders = made.store->add_section("stage 3", {}, ranks);
  constexpr int64_t kMs = 1000000;
  made.start_ns = 5000 * kMs;
  made.busy_ns = made.start_ns + 6 * kMs + kMs / 2;
  made.end_ns = made.start_ns + 10 * kMs;
  const int64_t until = complete ? INT64_MAX : made.busy_ns;
  for (int rank = 0; rank < ranks; ++rank) {
    RankWriter pen(*made.store, *made.recorders[static_cast<size_t>(rank)]);
    const int64_t t = made.start_ns;
    for (int b = 0; b < 4; ++b) {
      const std::string bucket = "bucket " + std::to_string(b);
      pen.memory(t, Category::kParameters, "", bucket, 131072 * (b + 1));
      pen.memory(t + 1, Category::kOptimizer, "", bucket, 6 * 65536 * (b + 1));
      pen.memory(t + 2, Category::kGradients, "", bucket, 65536);
    }
    for (int i = 0; i < 9; ++i) pen.memory(t + 3, Category::kBuffers, "", "table " + std::to_string(i), 512);
    pen.memory(t + 4, Category::kOther, "", "", 30000);
    for (int l = 0; l < 4; ++l) {
      const std::string layer = "layer " + std::to_string(l);
      const int64_t s = t + l * kMs;
      pen.collective(Op::kAllGather, "parameters", layer, s, s + kMs / 10, s + kMs / 2);
      pen.memory(s, Category::kParameters, layer, "gathered", 300000);
      pen.memory(s + kMs / 2, Category::kActivations, layer, "", 200000 + 1000 * rank);
      pen.span("wait for parameters", s + kMs / 5, s + kMs / 2, 0);
      pen.span("forward", s + kMs / 5, s + kMs, 0, layer);
      if (l < 3) pen.memory(s + kMs, Category::kParameters, layer, "gathered", -300000);
    }
    for (int l = 3; l >= 0; --l) {
      const std::string layer = "layer " + std::to_string(l);
      const int64_t s = t + (7 - l) * kMs;
      if (s + kMs <= until) pen.span("backward", s, s + kMs, 0, layer);
      if (l == 3) pen.memory(s, Category::kGradients, "", "model.layers.3.mlp.down_proj.weight", 70000);
      if (s <= until) pen.memory(s + kMs / 4, Category::kActivations, layer, "", -200000 - 1000 * rank);
    }
    pen.collective(Op::kReduceScatter, "gradients", "bucket 3", t + 6 * kMs - 2, t + 6 * kMs, t + 7 * kMs,
                   until);
    pen.collective(Op::kAllGather, "parameters", "layer 1", t + 6 * kMs + 5, t + 7 * kMs, t + 8 * kMs, until);
    if (!complete) continue;
    pen.span("update", t + 9 * kMs, t + 10 * kMs, 0);
    pen.span("step", t, t + 10 * kMs, 0);
  }
  if (complete) made.store->set_complete();
  made.snapshot();
  return made;
}

// About so many events, a third of each kind, seeded: tiny spans and collectives with a long one now and
// then.
inline Synthetic huge_section(int ranks, int events, uint64_t seed = 7) {
  Synthetic made;
  made.store = TraceStore::create("huge");
  made.recorders = made.store->add_section("huge", {}, ranks);
  const char* const phases[] = {"forward", "backward", "update", "wait for gradients"};
  const char* const tags[] = {"gradients", "parameters", "norm"};
  const int rounds = events / 6 / ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    RankWriter pen(*made.store, *made.recorders[static_cast<size_t>(rank)]);
    RandomStream random(seed, "huge", static_cast<uint64_t>(rank));
    int64_t t = 1000;
    for (int i = 0; i < rounds; ++i) {
      const int64_t length = random.below(500) == 0 ? 400000 : static_cast<int64_t>(20 + random.below(3000));
      const int64_t gap = static_cast<int64_t>(random.below(2000));
      const std::string unit = "layer " + std::to_string(i % 8);
      pen.span(phases[random.below(4)], t, t + length, i / 100, unit);
      pen.collective(random.below(2) == 0 ? Op::kAllGather : Op::kReduceScatter, tags[random.below(3)], unit,
                     t, t + length / 3, t + length);
      const auto category = kCategories[random.below(kCategoryCount)];
      pen.memory(t + length / 2, category, unit, "", 1000);
      pen.memory(t + length, category, unit, "", i % 50 == 0 ? -900 : -1000);
      t += length + gap;
    }
    made.end_ns = std::max(made.end_ns, t);
  }
  made.start_ns = 1000;
  made.busy_ns = made.end_ns / 2;
  made.snapshot();
  return made;
}

}  // namespace ringside::test
