// Gloo's own algorithms beside ours, by tolerance: they add in another order.
#include <catch.h>

#include <cmath>

#include "check_text.h"
#include "connected_ranks.h"
#include "on_ranks.h"
#include "on_wirings.h"
#include "patience.h"
#include "ringside/base/random.h"
#include "ringside/comm/errors.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

std::vector<float> drawn(int rank, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  RandomStream random(static_cast<uint64_t>(rank), "values");
  for (float& value : values) value = static_cast<float>(random.uniform() - 0.5);
  return values;
}
MutableView view_of(std::vector<float>& values) {
  return {values.data(), std::ssize(values), Dtype::kFloat32};
}

// Of all words, one behind the other: the largest difference from what ranks as threads have.
struct Results {
  std::vector<float> sum, largest, scattered, gathered, sent, turned;
  std::vector<float> all() const {
    std::vector<float> values;
    for (const auto* part : {&sum, &largest, &scattered, &gathered, &sent, &turned})
      values.insert(values.end(), part->begin(), part->end());
    return values;
  }
};
std::vector<float> results_of(ProcessGroup& group, int64_t count) {
  const int size = group.size();
  Results results;
  results.sum = results.largest = results.sent = drawn(group.rank(), count);
  std::vector<float> large = drawn(group.rank(), count * size);
  results.scattered.resize(static_cast<size_t>(count));
  results.gathered.resize(large.size());
  results.turned.resize(large.size());
  std::vector<float> own = drawn(group.rank(), count);
  group.all_reduce(view_of(results.sum), {})->wait();
  group.all_reduce(view_of(results.largest), {}, ReduceOp::kMax)->wait();
  group.reduce_scatter(view_of(large), view_of(results.scattered), {})->wait();
  group.all_gather(view_of(own), view_of(results.gathered), {})->wait();
  group.broadcast(view_of(results.sent), size - 1, {})->wait();
  group.all_to_all(view_of(large), view_of(results.turned), {})->wait();
  group.barrier({})->wait();
  return results.all();
}

double largest_distance(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, static_cast<double>(std::abs(a[i] - b[i])));
  return largest;
}

}  // namespace

TEST_CASE("each of Gloo's algorithms, of any number of ranks and in any group: ours to within rounding") {
  for (const std::string& algorithm : gloo_algorithms())
    for (const int size : {2, 3, 4}) {
      const auto hubs = connect_ranks_over_gloo(size, algorithm);
      std::vector<int> all(static_cast<size_t>(size));
      std::iota(all.begin(), all.end(), 0);
      for (const std::vector<int>& ranks : {all, std::vector<int>{size - 2, size - 1}})
        for (const int64_t count : {0, 1, 7, 5003}) {
          CAPTURE(algorithm, size, ranks.size(), count);
          std::vector<double> distances(ranks.size());
          const auto threads = make_thread_group(static_cast<int>(ranks.size()), {});
          on_wirings(hubs, ranks, {.name = "g" + std::to_string(count)}, [&](ProcessGroup& group) {
            const auto place = static_cast<size_t>(group.rank());
            distances[place] = largest_distance(results_of(group, count), results_of(*threads[place], count));
          });
          for (const double distance : distances) CHECK(distance < 1e-6);  // sums of 4 values below 0.5
        }
    }
}

// They move without frames. 160,007 elements are two pieces, one of them short.
TEST_CASE("large calls in rank order: the bits of threads and as many bytes, of any number of ranks") {
  constexpr int kSize = 3;
  const auto hubs = connect_ranks_over_gloo(kSize);
  for (const std::vector<int>& ranks : {std::vector<int>{0, 1, 2}, std::vector<int>{2, 0}})
    for (const int64_t count : {160'007, 1'000'003}) {
      CAPTURE(ranks.size(), count);
      RecordedRun over_gloo(kSize), as_threads(kSize);
      const auto recorders_of = [&](const RecordedRun& run) {
        std::vector<Recorder*> recorders;
        for (const int rank : ranks) recorders.push_back(run.options.recorders[static_cast<size_t>(rank)]);
        return recorders;
      };
      std::vector<char> same(ranks.size());
      const auto threads = make_thread_group(ranks, {{}, recorders_of(as_threads), {}});
      const auto compare = [&](ProcessGroup& group) {
        const auto place = static_cast<size_t>(group.rank());
        same[place] = results_of(group, count) == results_of(*threads[place], count);
      };
      on_wirings(hubs, ranks, {.name = "g" + std::to_string(count)}, compare, recorders_of(over_gloo));
      for (const char one : same) CHECK(one);
      for (const int rank : ranks) CHECK(over_gloo.bytes_sent(rank) == as_threads.bytes_sent(rank));
    }
}

TEST_CASE("two ranks send each other all of it: a sum takes the place of what has been sent alone") {
  const auto hubs = connect_ranks_over_gloo(2);
  on_wirings(hubs, {0, 1}, {}, [&](ProcessGroup& group) {
    for (int time = 0; time < 4; ++time) {
      std::vector<float> values(6'000'000, static_cast<float>(1 + group.rank()));
      group.all_reduce(view_of(values), {})->wait();
      if (std::ranges::count(values, 3.0f) != std::ssize(values)) throw std::runtime_error("wrong sum");
    }
  });
}

TEST_CASE("bfloat16, which Gloo does not add, is added in rank order and rounded once, by any algorithm") {
  for (const auto& [hubs, count] : {std::pair(connect_ranks_over_gloo(3), int64_t{900'001}),
                                    {connect_ranks_over_gloo(3, "gloo_ring"), 1000}})
    on_wirings(hubs, {0, 1, 2}, {}, [&, count = count](ProcessGroup& group) {
      TypedBuffer buffer(Dtype::kBFloat16, contribution(group.rank(), count));
      group.all_reduce(buffer.view(), {})->wait();
      if (buffer.values() != naive_reduce(3, count)) throw std::runtime_error("wrong sum");
    });
}

TEST_CASE("Gloo's own: records are compared before data moves, and an abort ends a call") {
  const auto hubs = connect_ranks_over_gloo(3, "gloo_ring");
  std::array<std::string, 3> said;
  on_wirings(hubs, {0, 1, 2}, {.name = "sizes", .timeout = 2 * kPatience}, [&](ProcessGroup& group) {
    std::vector<float> values(group.rank() == 1 ? 5 : 6);
    said[static_cast<size_t>(group.rank())] =
        message_of<MismatchError>([&] { group.all_reduce(view_of(values), {})->wait(); });
  });
  for (const std::string& text : said)
    CHECK(lacks(text, {"rank 1 calls sizes #0 all_reduce of 5 float32"}) == "");
  // Rank 1 stays inside: the others wait in Gloo for it.
  std::array<std::vector<int>, 3> lost;
  on_wirings(hubs, {0, 1, 2}, {.name = "abort", .timeout = 2 * kPatience}, [&](ProcessGroup& group) {
    std::vector<float> values(1000);
    group.all_reduce(view_of(values), {})->wait();
    Collective call{.op = Op::kAllReduce, .input = view_of(values), .output = view_of(values)};
    if (group.rank() == 1) call.hold = kHoldForEver;
    const WorkPtr work = group.start(call);
    if (group.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      group.abort("enough");
    }
    try {
      work->wait();
    } catch (const PeerLostError& error) {
      lost[static_cast<size_t>(group.rank())] = error.ranks();
    }
  });
  for (const std::vector<int>& ranks : lost) CHECK(ranks == std::vector<int>{1});
}

TEST_CASE("an algorithm that Gloo has not is refused by the names of those it has") {
  CHECK(message_of<UsageError>([] {
          connect_over_gloo(make_memory_store(), {.rank = 0, .size = 1, .algorithm = "ring"});
        }) == "algorithm=ring: over Gloo there are gloo_ring, gloo_bcube, gloo_halving_doubling");
}
