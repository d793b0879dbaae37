// Data parallelism, bucketed and naive. Against one process in a plain loop: tests/zero/stages_test.cpp.
#include "catch.h"
#include "ringside/data_parallel/strategy.h"
#include "ringside/nn/fused.h"
#include "thread_group.h"
#include "toy_model.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

std::unique_ptr<Strategy> make_naive(const StrategySetup& setup) {
  Distribution options = setup.options;
  options.naive = true;
  return make_data_parallel({setup.parameters, setup.group, setup.optimizer, options, setup.recorder});
}
// When the gradient collectives of rank 0 were issued, and when its backward was in which unit.
struct Timeline {
  std::vector<int64_t> issued;
  std::map<std::string, std::pair<int64_t, int64_t>> backward;  // unit -> start, end
  std::vector<int64_t> waited;                                  // when the waits for them ended
};

Timeline timeline(const MakeStrategy& strategy, int64_t bucket, bool overlap = true) {
  RecordedRun recorded(2);
  ToyRun run{.ranks = 2, .steps = 1};
  run.options.bucket_elements = bucket, run.options.overlap = overlap;
  train_toy(run, strategy, recorded.options);
  const Trace trace = recorded.store->snapshot();
  Timeline result;
  for (const CollectiveEvent& event : recorded.completed(0)) {
    if (trace.name(event.tag) == "gradients") result.issued.push_back(event.time_created_ns);
  }
  for (const SpanEvent& span : trace.find("test")->spans(0)) {
    if (trace.name(span.name) == "wait for gradients") result.waited.push_back(span.end_ns);
    if (trace.name(span.name) == "backward")
      result.backward[trace.name(span.unit)] = {span.start_ns, span.end_ns};
  }
  return result;
}

}  // namespace

TEST_CASE("without clipping no norm is computed, and a frozen parameter keeps its bits") {
  ToyRun run{.ranks = 2};
  run.options.clip_norm = 0;
  const auto results = train_toy(run, make_data_parallel);
  CHECK(results[0].norms == std::vector<double>(4, 0.0));
  const at::Tensor frozen = at::empty({5});
  ToyModel::initial(ToyModel::kFrozen, frozen);
  CHECK(results[1].bytes.substr(15 * 4, 5 * 4) ==
        std::string(static_cast<const char*>(frozen.data_ptr()), 20));
}

TEST_CASE("bf16: bucketed and naive agree in every bit, and so do the ranks") {
  ToyRun run{.ranks = 3, .accumulate = 2};
  run.options.precision = Precision::kBFloat16;
  const auto bucketed = train_toy(run, make_data_parallel), naive = train_toy(run, make_naive);
  CHECK(odd_one_out(naive, bucketed[0]) == "");
  CHECK(odd_one_out(bucketed, bucketed[0]) == "");
}

TEST_CASE("buckets are reduced while backward goes on; the naive version waits for its end") {
  const Timeline bucketed = timeline(make_data_parallel, 1);
  REQUIRE(bucketed.issued.size() == 7);  // one a trainable parameter
  CHECK(bucketed.issued.front() < bucketed.backward.at("in").first);
  const Timeline naive = timeline(make_naive, 1000);
  REQUIRE(naive.issued.size() == 7);  // whatever the bucket
  for (const int64_t issued : naive.issued) CHECK(issued >= naive.backward.at("in").second);
  const Timeline one_by_one = timeline(make_data_parallel, 1, false);
  REQUIRE(one_by_one.waited.size() == 7);
  for (size_t i = 1; i < 7; ++i) CHECK(one_by_one.issued[i] >= one_by_one.waited[i - 1]);
}

// f: a fused product writes the gradient whole; p: backward adds it to what is there; n: the step has none.
TEST_CASE("a gradient that one step writes whole is right in the next one, whichever way it comes there") {
  const std::string ways[] = {"ffpfnff", "fnfpffn"};  // (parameter, step)
  ParameterSet set;
  set.shapes = {{"a", 0, {2, 3}}, {"b", 0, {2, 3}}};
  set.leaves.resize(2);
  set.units = 1, set.unit_names = {"unit"};
  const auto group = make_thread_group(1, {});
  const auto optimizer = make_optimizer({});
  const Distribution options{.precision = Precision::kFloat32};
  const auto strategy = make_data_parallel({set, *group[0], optimizer, options});
  for (int64_t step = 0; step < 7; ++step) {
    const auto way = [&](size_t p) { return ways[p][static_cast<size_t>(step)]; };
    const at::Tensor x = at::full({1, 3}, static_cast<double>(step + 1));
    strategy->run_backward_of(step, [&] {
      at::Tensor loss = at::zeros({}).requires_grad_();
      for (const size_t p : {0, 1}) {
        if (way(p) == 'f') loss = loss + fused_linear(x, set.leaves[p], {}, strategy.get()).sum();
        if (way(p) == 'p') loss = loss + at::linear(x, set.leaves[p]).sum();
      }
      return loss;
    });
    for (const size_t p : {0, 1}) {
      CAPTURE(step, p);
      const double expected = way(p) == 'n' ? 0 : static_cast<double>(step + 1);
      CHECK(at::equal(set.leaves[p].grad(), at::full({2, 3}, expected)));
    }
  }
}
