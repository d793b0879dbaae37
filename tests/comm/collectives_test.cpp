// Every collective over world sizes x counts x dtypes, against the naive result.
#include <catch.h>

#include "check_text.h"
#include "on_ranks.h"
#include "ringside/base/error.h"
#include "ringside/comm/accumulator.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

const std::vector<int> kSizes = {1, 2, 3, 4, 5, 8};
const std::vector<int64_t> kCounts = {0, 1, 7, 5003};
const std::vector<Dtype> kDtypes = {Dtype::kFloat32, Dtype::kBFloat16, Dtype::kFloat64, Dtype::kInt64,
                                    Dtype::kUInt8};

// body(group, dtype, count) on every rank, for each combination; one thread_group a world size.
using Body = std::function<void(ProcessGroup&, Dtype, int64_t)>;
void sweep(bool sums, const Body& body) {
  for (const int size : kSizes) {
    CAPTURE(size);
    on_ranks(size, [&](ProcessGroup& group) {
      for (const Dtype dtype : kDtypes) {
        if (sums && dtype == Dtype::kUInt8) continue;
        for (const int64_t count : kCounts) body(group, dtype, count);
      }
    });
  }
}

// Catch2's macros are not thread-safe: a rank that sees a wrong result throws.
void expect_equal(const std::vector<int64_t>& actual, const std::vector<int64_t>& expected) {
  if (actual != expected) throw std::runtime_error("wrong result");
}

std::vector<int64_t> part(const std::vector<int64_t>& values, int64_t offset, int64_t count) {
  return {values.begin() + offset, values.begin() + offset + count};
}

}  // namespace

TEST_CASE("all_reduce equals the naive sum and maximum", "[processes]") {
  sweep(true, [](ProcessGroup& group, Dtype dtype, int64_t count) {
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax}) {
      TypedBuffer buffer(dtype, contribution(group.rank(), count));
      group.all_reduce(buffer.view(), {}, op)->wait();
      expect_equal(buffer.values(), naive_reduce(group.size(), count, op));
    }
  });
}

TEST_CASE("reduce_scatter equals the naive sum, out of place and in place", "[processes]") {
  sweep(true, [](ProcessGroup& group, Dtype dtype, int64_t count) {
    const int64_t total = count * group.size();
    const auto expected = part(naive_reduce(group.size(), total), group.rank() * count, count);
    TypedBuffer input(dtype, contribution(group.rank(), total)), output(dtype, count);
    group.reduce_scatter(input.view(), output.view(), {})->wait();
    expect_equal(output.values(), expected);
    expect_equal(input.values(), contribution(group.rank(), total));

    group.reduce_scatter(input.view(), slice(input.view(), group.rank() * count, count), {})->wait();
    expect_equal(part(input.values(), group.rank() * count, count), expected);
  });
}

TEST_CASE("all_gather brings every contribution, out of place and in place", "[processes]") {
  sweep(false, [](ProcessGroup& group, Dtype dtype, int64_t count) {
    std::vector<int64_t> expected;
    for (int rank = 0; rank < group.size(); ++rank)
      for (const int64_t value : contribution(rank, count)) expected.push_back(value);
    TypedBuffer input(dtype, contribution(group.rank(), count)), output(dtype, count * group.size());
    group.all_gather(input.view(), output.view(), {})->wait();
    expect_equal(output.values(), expected);

    std::vector<int64_t> own(expected.size(), 0);
    std::copy_n(expected.begin() + group.rank() * count, count, own.begin() + group.rank() * count);
    TypedBuffer buffer(dtype, own);
    group.all_gather(slice(buffer.view(), group.rank() * count, count), buffer.view(), {})->wait();
    expect_equal(buffer.values(), expected);
  });
}

TEST_CASE("broadcast brings the root's buffer, whichever rank is root", "[processes]") {
  sweep(false, [](ProcessGroup& group, Dtype dtype, int64_t count) {
    for (int root = 0; root < group.size(); ++root) {
      TypedBuffer buffer(dtype, contribution(group.rank(), count));
      group.broadcast(buffer.view(), root, {})->wait();
      expect_equal(buffer.values(), contribution(root, count));
    }
  });
}

TEST_CASE("all_to_all transposes chunks", "[processes]") {
  sweep(false, [](ProcessGroup& group, Dtype dtype, int64_t count) {
    const int64_t total = count * group.size();
    TypedBuffer input(dtype, contribution(group.rank(), total)), output(dtype, total);
    group.all_to_all(input.view(), output.view(), {})->wait();
    for (int peer = 0; peer < group.size(); ++peer)
      expect_equal(part(output.values(), peer * count, count),
                   part(contribution(peer, total), group.rank() * count, count));
  });
}

TEST_CASE("sends meet receives in order, whichever is posted first", "[processes]") {
  sweep(false, [](ProcessGroup& group, Dtype dtype, int64_t count) {
    if (group.size() == 1) return;
    const int next = (group.rank() + 1) % group.size(),
              previous = (group.rank() + group.size() - 1) % group.size();
    TypedBuffer first(dtype, contribution(group.rank(), count)),
        second(dtype, contribution(group.rank() + 10, count));
    TypedBuffer got_first(dtype, count), got_second(dtype, count);
    std::vector<WorkPtr> works;
    const bool receives_first = group.rank() % 2 == 0;
    if (receives_first) works.push_back(group.recv(got_first.view(), previous, {}));
    works.push_back(group.send(first.view(), next, {}));
    works.push_back(group.send(second.view(), next, {}));
    if (!receives_first) works.push_back(group.recv(got_first.view(), previous, {}));
    works.push_back(group.recv(got_second.view(), previous, {}));
    for (const WorkPtr& work : works) work->wait();
    expect_equal(got_first.values(), contribution(previous, count));
    expect_equal(got_second.values(), contribution(previous + 10, count));
  });
}

TEST_CASE("a receive that waits holds up no collective", "[processes]") {
  on_ranks(2, [](ProcessGroup& group) {
    TypedBuffer message(Dtype::kInt64, std::vector<int64_t>{5}), sum(Dtype::kInt64, std::vector<int64_t>{1});
    WorkPtr received;
    if (group.rank() == 0) received = group.recv(message.view(), 1, {});
    group.all_reduce(sum.view(), {})->wait();
    expect_equal(sum.values(), {2});
    if (group.rank() == 1) group.send(message.view(), 0, {})->wait();
    if (received) received->wait();
  });
}

TEST_CASE("many collectives in flight complete in order", "[processes]") {
  constexpr int kInFlight = 200;
  on_ranks(4, [&](ProcessGroup& group) {
    std::vector<TypedBuffer> buffers;
    for (int i = 0; i < kInFlight; ++i) buffers.emplace_back(Dtype::kFloat32, contribution(group.rank(), i));
    std::vector<WorkPtr> works;
    for (TypedBuffer& buffer : buffers) works.push_back(group.all_reduce(buffer.view(), {}));
    works.back()->wait();
    for (const WorkPtr& work : works)
      if (!work->done()) throw std::runtime_error("a later collective completed first");
    for (int i = 0; i < kInFlight; ++i) expect_equal(buffers[i].values(), naive_reduce(4, i));
  });
}

TEST_CASE("memory that is not there, or that input and output share, is refused at the call, by name") {
  on_ranks(2, [](ProcessGroup& group) {
    TypedBuffer buffer(Dtype::kFloat32, 8);
    const MutableView all = buffer.view(), front = slice(all, 0, 4), back = slice(all, 4, 4);
    const bool is_first = group.rank() == 0;
    const MutableView own = is_first ? front : back, other = is_first ? back : front;
    const Tag tag{"parameters", "bucket 3"};
    const auto refuses = [](const auto& call, const std::string& end) {
      const std::string message = message_of<UsageError>(call);
      if (!message.ends_with(end)) throw std::runtime_error(message + " does not end with: " + end);
    };
    const std::string shares = "share memory otherwise than process_group.h allows";
    refuses([&] { group.all_to_all(all, all, tag); }, shares);
    refuses([&] { group.all_to_all(front, slice(all, 2, 4), tag); }, shares);
    refuses([&] { group.reduce_scatter(all, other, tag); }, shares);
    refuses([&] { group.all_gather(other, all, tag); }, shares);
    refuses([&] { group.all_gather(slice(all, 1, 4), all, tag); }, shares);
    refuses(
        [&] {
          group.all_reduce({nullptr, 4, Dtype::kFloat32}, tag);
        },
        " all_reduce of 4 float32 (parameters, bucket 3): it has elements and no memory");
    group.all_reduce({nullptr, 0, Dtype::kFloat32}, tag)->wait();
    group.reduce_scatter(all, own, tag)->wait();
    group.all_gather(own, all, tag)->wait();
    group.all_to_all(front, back, tag)->wait();
  });
}

TEST_CASE("wrong arguments are refused at the call") {
  on_ranks(1, [](ProcessGroup& group) {
    TypedBuffer four(Dtype::kFloat32, 4), three(Dtype::kFloat32, 3), bytes(Dtype::kUInt8, 4);
    CHECK_THROWS_AS(group.all_gather(four.view(), three.view(), {}), UsageError);
    CHECK_THROWS_AS(group.reduce_scatter(four.view(), three.view(), {}), UsageError);
    CHECK_THROWS_AS(group.all_reduce(bytes.view(), {}), UsageError);
    for (const Op op : {Op::kAllReduce, Op::kBroadcast})
      CHECK_THROWS_AS(group.start({.op = op, .input = four.view(), .output = three.view()}), UsageError);
    CHECK_THROWS_AS(group.broadcast(four.view(), 1, {}), UsageError);
    CHECK_THROWS_AS(group.send(four.view(), 0, {}), UsageError);
    MutableView on_device = four.view();
    on_device.device = Device::kCuda;
    if (device_memory() == nullptr) CHECK_THROWS_AS(group.all_reduce(on_device, {}), UsageError);
  });
  const auto uneven = [](ProcessGroup& group) {
    TypedBuffer in(Dtype::kFloat32, 3), out(Dtype::kFloat32, 3);
    group.all_to_all(in.view(), out.view(), {})->wait();
  };
  CHECK_THROWS_AS(on_ranks(2, uneven), UsageError);
}
