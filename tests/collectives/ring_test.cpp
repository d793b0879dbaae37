// The ring, halving and doubling, and the tree against the naive sum, the ring against the direct algorithm,
// and step by step.
#include <catch.h>

#include "on_ranks.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/collectives/cost.h"
#include "ringside/collectives/logarithmic.h"
#include "ringside/collectives/ring.h"
#include "ringside/collectives/ring_group.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/process_group.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

void sweep(const std::function<void(ProcessGroup&, Dtype, int64_t)>& body) {
  for (const int size : {1, 2, 3, 4, 5, 8}) {
    CAPTURE(size);
    on_ranks(size, [&](ProcessGroup& group) {
      for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBFloat16, Dtype::kFloat64, Dtype::kInt64})
        for (const int64_t count : {0, 1, 7, 2003}) body(group, dtype, count);
    });
  }
}

void expect_equal(const std::vector<int64_t>& actual, const std::vector<int64_t>& expected) {
  if (actual != expected) throw std::runtime_error("wrong result");
}

std::vector<float> random_contribution(int rank, int64_t count) {
  RandomStream stream(7, "contribution", rank);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(stream.normal());
  return values;
}

// The cost formulas against the bytes that were counted, rank by rank.
// Whether n must be a multiple of N for the collective.
enum class Counts { kAny, kMultiples };

using Collective = std::function<void(ProcessGroup&, MutableView whole, MutableView chunk)>;
using Formula = int64_t (*)(const Payload&);

// Runs the collective in every world, on n elements, and compares each rank's counted bytes.
void compare(Counts counts, const Collective& collective, Formula formula) {
  for (const int size : {1, 2, 3, 4, 5, 8})
    for (const int64_t base : {0, 1, 7, 1003})
      for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBFloat16}) {
        const int64_t n = counts == Counts::kAny ? base : base * size;
        RecordedRun run(size);
        on_ranks(size, run.options, [&](ProcessGroup& group) {
          TypedBuffer whole(dtype, contribution(group.rank(), n)), chunk(dtype, (n + size - 1) / size);
          collective(group, whole.view(), chunk.view());
        });
        for (int rank = 0; rank < size; ++rank) {
          CAPTURE(size, n, rank);
          CHECK(run.bytes_sent(rank) == formula({n, dtype, size, rank, size - 1}));
        }
      }
}

int last(const ProcessGroup& group) { return group.size() - 1; }

}  // namespace

TEST_CASE("ring: all_reduce, reduce_scatter and all_gather leave what the naive sum says") {
  sweep([](ProcessGroup& group, Dtype dtype, int64_t count) {
    TypedBuffer buffer(dtype, contribution(group.rank(), count)), scratch(dtype, count);
    ring_all_reduce(group, buffer.view(), scratch.view(), {});
    expect_equal(buffer.values(), naive_reduce(group.size(), count));
  });
  sweep([](ProcessGroup& group, Dtype dtype, int64_t count) {
    TypedBuffer buffer(dtype, contribution(group.rank(), count)), scratch(dtype, count);
    ring_reduce_scatter(group, buffer.view(), scratch.view(), {});
    const Chunk own = chunk_of(count, group.size(), group.rank());
    const auto values = buffer.values(), expected = naive_reduce(group.size(), count);
    for (int64_t i = own.offset; i < own.offset + own.count; ++i) expect_equal({values[i]}, {expected[i]});
  });
  sweep([](ProcessGroup& group, Dtype dtype, int64_t count) {
    std::vector<int64_t> own(count, 0), expected(count);
    for (int rank = 0; rank < group.size(); ++rank) {
      const Chunk chunk = chunk_of(count, group.size(), rank);
      const auto values = contribution(rank, count);
      for (int64_t i = chunk.offset; i < chunk.offset + chunk.count; ++i) {
        expected[i] = values[i];
        if (rank == group.rank()) own[i] = expected[i];
      }
    }
    TypedBuffer gathered(dtype, own);
    ring_all_gather(group, gathered.view(), {});
    expect_equal(gathered.values(), expected);
  });
}

TEST_CASE("halving and doubling, and a tree, equal the naive sum on exact inputs, on every rank") {
  sweep([](ProcessGroup& group, Dtype dtype, int64_t count) {
    TypedBuffer buffer(dtype, contribution(group.rank(), count)), scratch(dtype, count);
    tree_all_reduce(group, buffer.view(), scratch.view(), {});
    expect_equal(buffer.values(), naive_reduce(group.size(), count));
    if (group.size() == 3 || group.size() == 5) {
      try {
        halving_doubling_all_reduce(group, buffer.view(), scratch.view(), {});
      } catch (const UsageError&) {
        return;
      }
      throw std::runtime_error("no power of two");
    }
    TypedBuffer other(dtype, contribution(group.rank(), count));
    halving_doubling_all_reduce(group, other.view(), scratch.view(), {});
    expect_equal(other.values(), naive_reduce(group.size(), count));
  });
  const auto halving = [](ProcessGroup& group) {
    TypedBuffer buffer(Dtype::kFloat32, 6), scratch(Dtype::kFloat32, 6);
    halving_doubling_all_reduce(group, buffer.view(), scratch.view(), {});
  };
  CHECK_THROWS_AS(on_ranks(6, halving), UsageError);  // even, and no power of two
}

TEST_CASE("ring and direct agree within rounding, and each repeats itself bit by bit") {
  constexpr int64_t kCount = 4001;
  for (const int size : {2, 3, 8}) {
    on_ranks(size, [&](ProcessGroup& group) {
      std::vector<float> scratch(kCount), direct, ring, again;
      direct = ring = again = random_contribution(group.rank(), kCount);
      const auto view = [](std::vector<float>& values) {
        return MutableView{values.data(), std::ssize(values), Dtype::kFloat32};
      };
      group.all_reduce(view(direct), {})->wait();
      ring_all_reduce(group, view(ring), view(scratch), {});
      ring_all_reduce(group, view(again), view(scratch), {});
      if (ring != again) throw std::runtime_error("the ring does not repeat itself");
      for (int64_t i = 0; i < kCount; ++i)
        if (std::abs(ring[i] - direct[i]) > 1e-5f) throw std::runtime_error("ring and direct differ");
    });
  }
}

TEST_CASE("a ring of bfloat16 rounds at each hop, in ring order; a wide one rounds once") {
  constexpr int kSize = 5;
  constexpr int64_t kCount = 1003;
  std::vector<std::vector<float>> given;  // (rank, element), each a bfloat16
  for (int rank = 0; rank < kSize; ++rank) {
    given.push_back(random_contribution(rank, kCount));
    for (float& value : given.back()) value = bf16_to_float(float_to_bf16(value));
  }
  // f is told of each addition of the ring, chunk by chunk: the chunk's owner comes last.
  const auto folded = [&](const auto& f) {
    std::vector<uint16_t> sums(kCount);
    for (int owner = 0; owner < kSize; ++owner) {
      const Chunk chunk = chunk_of(kCount, kSize, owner);
      for (int64_t i = chunk.offset; i < chunk.offset + chunk.count; ++i) {
        float sum = given[(owner + 1) % kSize][i];
        for (int hop = 2; hop <= kSize; ++hop) sum = f(sum + given[(owner + hop) % kSize][i]);
        sums[i] = float_to_bf16(sum);
      }
    }
    return sums;
  };
  const auto each_hop = folded([](float sum) { return bf16_to_float(float_to_bf16(sum)); });
  const auto once = folded([](float sum) { return sum; });
  REQUIRE(each_hop != once);
  on_ranks(kSize, [&](ProcessGroup& group) {
    std::vector<uint16_t> ring(kCount), scratch(kCount);
    std::vector<float> wide(kCount), wide_scratch(kCount);
    for (int64_t i = 0; i < kCount; ++i) ring[i] = float_to_bf16(given[group.rank()][i]);
    std::vector<uint16_t> widened = ring;
    const auto narrow = [](std::vector<uint16_t>& values) {
      return MutableView{values.data(), std::ssize(values), Dtype::kBFloat16};
    };
    const auto fp32 = [](std::vector<float>& values) {
      return MutableView{values.data(), std::ssize(values), Dtype::kFloat32};
    };
    ring_all_reduce(group, narrow(ring), narrow(scratch), {});
    ring_all_reduce_in_fp32(group, narrow(widened), fp32(wide), fp32(wide_scratch), {});
    if (ring != each_hop) throw std::runtime_error("the ring does not round at each hop");
    if (widened != once) throw std::runtime_error("the wide ring does not round once");
  });
}

TEST_CASE("a ring with a lost rank ends for all; a group of rings gives what the direct one gives") {
  CHECK_THROWS_WITH(on_ranks(4,
                             [](ProcessGroup& group) {
                               if (group.rank() == 2) throw std::runtime_error("lost");
                               TypedBuffer buffer(Dtype::kFloat32, 9), scratch(Dtype::kFloat32, 3);
                               ring_all_reduce(group, buffer.view(), scratch.view(), {});
                             }),
                    "lost");
  constexpr int kSize = 4;
  constexpr int64_t kCount = 12;
  RecordedRun recorded(kSize);
  on_ranks(kSize, recorded.options, [&](ProcessGroup& group) {
    RingGroup ring(std::make_unique<BorrowedGroup>(group));
    const auto own = contribution(group.rank(), kCount);
    const auto sum = naive_reduce(kSize, kCount);
    const auto begin = sum.begin() + 3 * group.rank();
    TypedBuffer all(Dtype::kFloat32, own), input(Dtype::kFloat32, own), part(Dtype::kFloat32, 3);
    ring.all_reduce(all.view(), {"a", ""})->wait();
    expect_equal(all.values(), sum);
    ring.reduce_scatter(input.view(), part.view(), {"b", ""})->wait();
    expect_equal(part.values(), {begin, begin + 3});
    expect_equal(input.values(), own);
    TypedBuffer whole(Dtype::kFloat32, kCount);
    ring.all_gather(part.view(), whole.view(), {"c", ""})->wait();
    expect_equal(whole.values(), sum);
  });
  int64_t sent = 0;
  for (const CollectiveEvent& event : recorded.completed(1)) {
    CHECK((event.op == Op::kSend ? event.peer == 2 : event.peer == 0));
    sent += event.bytes_sent;
  }
  CHECK(sent == 4 * 9 * (2 + 1 + 1));         // (N-1)/N of 12 elements, four times
  on_ranks(kSize, [&](ProcessGroup& group) {  // a maximum goes to the direct one
    TypedBuffer largest(Dtype::kFloat32, std::vector<int64_t>{group.rank(), -group.rank()});
    RingGroup(std::make_unique<BorrowedGroup>(group)).all_reduce(largest.view(), {}, ReduceOp::kMax)->wait();
    expect_equal(largest.values(), {3, 0});
  });
  const auto needs_three = [](ProcessGroup& group) {  // ceil(7 / 3)
    TypedBuffer buffer(Dtype::kFloat32, 7), scratch(Dtype::kFloat32, 2);
    ring_reduce_scatter(group, buffer.view(), scratch.view(), {});
  };
  CHECK_THROWS_AS(on_ranks(3, needs_three), InvariantError);
}

TEST_CASE("direct: counted bytes are the formula's, for any n and N") {
  compare(
      Counts::kAny,
      [](ProcessGroup& group, MutableView whole, MutableView) { group.all_reduce(whole, {})->wait(); },
      direct::all_reduce);
  compare(
      Counts::kMultiples,
      [](ProcessGroup& group, MutableView whole, MutableView chunk) {
        group.reduce_scatter(whole, chunk, {})->wait();
      },
      direct::reduce_scatter);
  compare(
      Counts::kMultiples,
      [](ProcessGroup& group, MutableView whole, MutableView chunk) {
        group.all_gather(chunk, whole, {})->wait();
      },
      direct::all_gather);
  compare(
      Counts::kMultiples,
      [](ProcessGroup& group, MutableView whole, MutableView) {
        std::vector<std::byte> copy(whole.bytes());
        group.all_to_all(whole, {copy.data(), whole.count, whole.dtype}, {})->wait();
      },
      direct::all_to_all);
  compare(
      Counts::kAny,
      [](ProcessGroup& group, MutableView whole, MutableView) {
        group.broadcast(whole, last(group), {})->wait();
      },
      direct::broadcast);
}

TEST_CASE("ring: counted bytes are the formulas', and equal direct's where N divides n") {
  compare(
      Counts::kAny,
      [](ProcessGroup& group, MutableView whole, MutableView chunk) {
        ring_all_reduce(group, whole, chunk, {});
      },
      ring::all_reduce);
  compare(
      Counts::kAny,
      [](ProcessGroup& group, MutableView whole, MutableView chunk) {
        ring_reduce_scatter(group, whole, chunk, {});
      },
      ring::reduce_scatter);
  compare(
      Counts::kAny,
      [](ProcessGroup& group, MutableView whole, MutableView) { ring_all_gather(group, whole, {}); },
      ring::all_gather);
  for (const int size : {1, 2, 4, 8}) {
    const Payload payload{1 << 20, Dtype::kBFloat16, size, size - 1};
    const int64_t least = 2 * (size - 1) * ((int64_t{1} << 20) / size) * 2;
    CHECK(direct::all_reduce(payload) == least);
    CHECK(ring::all_reduce(payload) == least);
  }
}

TEST_CASE(
    "halving and doubling send what a ring does where N divides n; a tree n to the parent and each child") {
  for (const int size : {1, 2, 4, 8}) {
    RecordedRun halving(size), tree(size);
    const auto run = [&](RecordedRun& recorded, auto all_reduce) {
      on_ranks(size, recorded.options, [&](ProcessGroup& group) {
        TypedBuffer whole(Dtype::kFloat32, contribution(group.rank(), 80)), scratch(Dtype::kFloat32, 80);
        all_reduce(group, whole.view(), scratch.view(), Tag{});
      });
    };
    run(halving, halving_doubling_all_reduce);
    run(tree, tree_all_reduce);
    int64_t sent = 0;
    for (int rank = 0; rank < size; ++rank) {
      CHECK(halving.bytes_sent(rank) == ring::all_reduce({80, Dtype::kFloat32, size, rank, 0}));
      sent += tree.bytes_sent(rank);
    }
    CHECK(sent == 2 * (size - 1) * 80 * 4);
    if (size > 1) CHECK(tree.bytes_sent(size - 1) == 80 * 4);  // a leaf
  }
}
