// What comes first, and where a key lies: buckets of gradients, passes of a pipeline, ranges of keys.
#include <algorithm>
#include <numeric>

#include "coding_drill.h"
#include "ringside/parameter_server/cluster.h"
#include "ringside/pipeline/schedule.h"
#include "ringside/planner/reducer.h"

namespace ringside::coding {
namespace {

using Sizes = std::vector<int64_t>;
using Indices = std::vector<int>;

Indices backward(size_t count) {
  Indices order(count);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}
// Cut where each bucket ends.
Json cut(const Indices& order, const std::vector<size_t>& ends) {
  Json buckets = Json::array();
  size_t begin = 0;
  for (const size_t end : ends) {
    const auto at = [&](size_t place) { return order.begin() + std::ptrdiff_t(place); };
    buckets.push_back(Indices(at(begin), at(end)));
    begin = end;
  }
  return Json::array({buckets});
}
Json buckets_of(const Json& a, const Indices& order, int64_t most) {
  const auto sizes = a[0].get<Sizes>();
  std::vector<Gradient> gradients;
  for (const int i : order) gradients.push_back({.name = {}, .group = {}, .elements = sizes[size_t(i)]});
  return cut(order, flush_points(gradients, most));
}
Json buckets_right(const Json& a) { return buckets_of(a, backward(a[0].size()), a[1].get<int64_t>()); }
Json buckets_forward(const Json& a) {
  Indices order(a[0].size());
  std::iota(order.begin(), order.end(), 0);
  return buckets_of(a, order, a[1].get<int64_t>());
}
// PyTorch's compute_bucket_assignment_by_size.
Json buckets_behind(const Json& a) {
  const auto sizes = a[0].get<Sizes>();
  const Indices order = backward(sizes.size());
  std::vector<size_t> ends;
  int64_t open = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    open += sizes[size_t(order[i])];
    if (open < a[1].get<int64_t>() && i + 1 < order.size()) continue;
    ends.push_back(i + 1);
    open = 0;
  }
  return cut(order, ends);
}
Json buckets_strict(const Json& a) {
  return buckets_of(a, backward(a[0].size()), std::max<int64_t>(1, a[1].get<int64_t>() - 1));
}

Json passes_of(const PipelineSchedule& schedule, const Json& a) {
  Json passes = Json::array();
  for (const StepPass& pass : schedule.of_stage[a[2].get<size_t>()]) passes.push_back(text_of(pass, 1));
  return Json::array({passes});
}
Json passes_right(const Json& a) { return passes_of(one_f_one_b(a[0].get<int>(), a[1].get<int64_t>()), a); }
Json passes_gpipe(const Json& a) { return passes_of(gpipe(a[0].get<int>(), a[1].get<int64_t>()), a); }
Json passes_mirrored(const Json& a) {
  return passes_right({a[0], a[1], a[0].get<int>() - 1 - a[2].get<int>()});
}
Json passes_as_first(const Json& a) { return passes_right({a[0], a[1], 0}); }
Json passes_one_more(const Json& a) { return passes_right({a[0].get<int>() + 1, a[1], a[2]}); }
// Warm-up passes although there are no more micro-batches.
Json passes_unbounded(const Json& a) {
  const int ahead = a[0].get<int>() - a[2].get<int>() - 1, m = a[1].get<int>();
  Json passes = Json::array();
  for (int f = 0; f < ahead; ++f) passes.push_back("F" + std::to_string(f));
  for (int b = 0; b < m; ++b) {
    if (ahead + b < m) passes.push_back("F" + std::to_string(ahead + b));
    passes.push_back("B" + std::to_string(b));
  }
  return Json::array({passes});
}

// One place more than there are ranges: behind the last.
std::vector<uint64_t> begins_of(uint64_t begin, uint64_t end, uint32_t count) {
  ps::Cluster cluster;
  cluster.groups.resize(1);
  cluster.groups[0].begin = begin;
  cluster.groups[0].end = end;
  cluster.ranges = count;
  std::vector<uint64_t> begins;
  for (const ps::KeyRange& range : ps::ranges_of(cluster)) begins.push_back(range.begin);
  begins.push_back(end);
  return begins;
}
Json each_key(const Json& a, int64_t (*range_of)(int64_t key, const Sizes& begins)) {
  const auto begins = a[1].get<Sizes>();
  Json found = Json::array();
  for (const Json& key : a[0]) found.push_back(range_of(key.get<int64_t>(), begins));
  return Json::array({found});
}
int64_t owner(int64_t key, const Sizes& begins) {
  for (size_t i = 0; i + 1 < begins.size(); ++i)
    if (key >= begins[i] && key < begins[i + 1]) return int64_t(i);
  return -1;
}
Json keys_right(const Json& a) { return each_key(a, owner); }
Json keys_behind_border(const Json& a) {
  return each_key(a, [](int64_t key, const Sizes& begins) {
    const auto at = std::lower_bound(begins.begin(), begins.end(), key);
    return at == begins.end() ? int64_t{-1} : int64_t(at - begins.begin()) - 1;
  });
}
Json keys_past_the_end(const Json& a) {
  return each_key(a, [](int64_t key, const Sizes& begins) {
    const auto at = std::upper_bound(begins.begin(), begins.end() - 1, key);
    return int64_t(at - begins.begin()) - 1;
  });
}
Json keys_modulo(const Json& a) {
  return each_key(a, [](int64_t key, const Sizes& begins) {
    return owner(key, begins) < 0 ? -1 : key % (int64_t(begins.size()) - 1);
  });
}
Json keys_equal_parts(const Json& a) {
  return each_key(a, [](int64_t key, const Sizes& begins) {
    const auto ranges = int64_t(begins.size()) - 1, keys = begins.back() - begins[0];
    return owner(key, begins) < 0
               ? -1
               : std::min(ranges - 1, (key - begins[0]) / std::max<int64_t>(1, keys / ranges));
  });
}

CodingDrill buckets() {
  return {.id = "bucket_order",
          .title = "ZeRO-1/2 (DeepSpeed): in which buckets gradients travel, in which order",
          .topic = "buckets",
          .lesson = "nccl_timeout",
          .judged_by = "flush_points of engine/planner",
          .arguments = {"sizes", "most"},
          .outputs = {{0, "buckets"}},
          .cases = {{{4, 3, 2, 1}, 6}, {{1, 2, 3, 5, 4}, 6}, {{2, 2, 2, 2}, 4}, {{1, 9, 1, 1}, 4}, {{5}, 10}},
          .right = buckets_right,
          .mistakes = {
              {"in the order of the forward pass", buckets_forward,
               "The last parameter's gradient is ready first; its bucket leaves while backward goes on."},
              {"a bucket ends behind the gradient that fills it", buckets_behind,
               "That is DDP's rule (compute_bucket_assignment_by_size): it adds the tensor first, so a "
               "bucket may be larger than the limit. Its limits are bytes, and the first one is 1 MiB."},
              {"a bucket of exactly that size is closed too early", buckets_strict,
               "It closes where the sum would be above the limit, not where it reaches it."}}};
}

CodingDrill one_f_one_b_drill() {
  return {
      .id = "one_f_one_b",
      .title = "the 1F1B schedule of a pipeline stage",
      .topic = "pipeline",
      .lesson = "megatron",
      .judged_by = "one_f_one_b of engine/pipeline",
      .arguments = {"p", "m", "stage"},
      .outputs = {{0, "passes"}},
      .cases = {{1, 2, 0}, {2, 3, 1}, {2, 3, 0}, {4, 6, 1}, {4, 2, 0}, {4, 8, 3}},
      .right = passes_right,
      .mistakes = {
          {"all forwards first: GPipe", passes_gpipe, "Then m micro-batches are alive instead of p - r."},
          {"stages counted from the end", passes_mirrored,
           "Stage 0 has the first layers: it waits longest for its first backward, and has the most ahead."},
          {"the warm-up is p - 1 on each stage", passes_as_first,
           "It is p - r - 1: the last stage has none."},
          {"one forward too many in the warm-up", passes_one_more,
           "p - r - 1 forwards, then F and B in turns: p - r are alive."},
          {"the warm-up knows no end of the micro-batches", passes_unbounded,
           "With m < p there are only m forwards."}}};
}

CodingDrill key_ranges() {
  return {.id = "key_ranges",
          .title = "key-range lookup of a parameter server",
          .topic = "servers",
          .lesson = "parameter_server",
          .judged_by = "the ranges of engine/parameter_server",
          .arguments = {"keys", "begins"},
          .outputs = {{0, "ranges"}},
          .cases = {{{1, 6}, begins_of(0, 8, 2)},
                    {{4, 3, 0}, begins_of(0, 8, 2)},
                    {{9, 2, 3, 7, 6}, begins_of(0, 11, 3)},
                    {{10, 99, 9}, begins_of(0, 10, 3)},
                    {{99, 100, 117, 118, 150, 151, 0}, begins_of(100, 151, 3)}},
          .right = keys_right,
          .mistakes = {
              {"a range's begin is given to the range before", keys_behind_border,
               "A range has its begin and not its end: upper_bound, not lower_bound."},
              {"keys behind the end are given to the last range", keys_past_the_end, "They are in none: -1."},
              {"key modulo R", keys_modulo,
               "Neighbouring keys lie together, so that a push of sorted keys is cut R - 1 times."},
              {"equal parts, without the remainder", keys_equal_parts,
               "Ranges differ in size: look into `begins`."}}};
}

}  // namespace

std::vector<CodingDrill> drills_of_orders() { return {buckets(), one_f_one_b_drill(), key_ranges()}; }

}  // namespace ringside::coding
