// The cost formulas against the bytes that were counted, rank by rank.
#include <catch.h>

#include "on_ranks.h"
#include "ringside/collectives/cost.h"
#include "ringside/collectives/logarithmic.h"
#include "ringside/collectives/ring.h"
#include "ringside/comm/process_group.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Whether n must be a multiple of N for the collective.
enum class Counts { kAny, kMultiples };

using Collective = std::function<void(ProcessGroup&, MutableView whole, MutableView chunk)>;
using Formula = int64_t (*)(const Payload&);

// Runs the collective in every world, on n elements, and compares each rank's counted bytes.
void compare(Counts counts, const Collective& collective, Formula formula) {
  for (const int size : {1, 2, 3, 4, 5, 8}) {
    for (const int64_t base : {0, 1, 7, 1003}) {
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
  }
}

int last(const ProcessGroup& group) { return group.size() - 1; }

}  // namespace

TEST_CASE("direct all_reduce: counted bytes are the formula's, for any n and N") {
  compare(
      Counts::kAny,
      [](ProcessGroup& group, MutableView whole, MutableView) { group.all_reduce(whole, {})->wait(); },
      direct::all_reduce);
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

TEST_CASE("direct reduce_scatter, all_gather and all_to_all: counted bytes are the formula's") {
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
}

TEST_CASE("direct broadcast: counted bytes are the formula's") {
  compare(
      Counts::kAny,
      [](ProcessGroup& group, MutableView whole, MutableView) {
        group.broadcast(whole, last(group), {})->wait();
      },
      direct::broadcast);
}

TEST_CASE("ring: counted bytes are the formulas', for any n and N") {
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
}

TEST_CASE("where N divides n, direct and ring both send 2 (N-1)/N n") {
  for (const int size : {1, 2, 4, 8}) {
    const Payload payload{1 << 20, Dtype::kBFloat16, size, size - 1};
    const int64_t least = 2 * (size - 1) * ((int64_t{1} << 20) / size) * 2;
    CHECK(direct::all_reduce(payload) == least);
    CHECK(ring::all_reduce(payload) == least);
  }
}
