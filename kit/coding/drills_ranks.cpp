// What runs on ranks, and how elements are cut between them.
#include <algorithm>

#include "coding_drill.h"
#include "ringside/collectives/cost.h"
#include "ringside/collectives/ring.h"
#include "ringside/world/world.h"

namespace ringside::coding {
namespace {

using Buffers = std::vector<std::vector<float>>;  // (rank)

MutableView view(std::vector<float>& values) { return {values.data(), int64_t(values.size())}; }

// What body leaves in each rank's buffer. `other` has as many elements.
Json on_ranks(const Json& buffers,
              const std::function<void(ProcessGroup&, MutableView, MutableView other)>& body) {
  Buffers all = buffers.get<Buffers>();
  run_world({.ranks = int(all.size())}, [&](World& world) {
    std::vector<float>& own = all[size_t(world.rank())];
    std::vector<float> other = own;
    body(world.group("drill"), view(own), view(other));
  });
  return all;
}

// Elements that each rank sends. Where N does not divide n it depends on who keeps which chunk: any number is
// right.
Json sent(const Json& arguments, const std::function<int64_t(const Payload&)>& bytes) {
  const auto n = int64_t(arguments[0][0].size()), size = int64_t(arguments[0].size());
  Json list = Json::array();
  for (int rank = 0; rank < size; ++rank)
    list.push_back(bytes({.elements = n, .size = int(size), .rank = rank}) / 4);
  return n % size == 0 ? list : Json();
}

Json summed(const Json& arguments) {
  return on_ranks(arguments[0], [](ProcessGroup& group, MutableView buffer, MutableView scratch) {
    ring_all_reduce(group, buffer, scratch, {});
  });
}
Json ring_right(const Json& arguments) { return {summed(arguments), sent(arguments, ring::all_reduce)}; }
// `ahead`: rank r gets the sum of chunk r + ahead.
Json ring_half(const Json& arguments, int64_t ahead) {
  const auto scatter = [ahead](ProcessGroup& group, MutableView buffer, MutableView scratch) {
    auto* values = static_cast<float*>(buffer.data);
    const int64_t moved = ahead * (buffer.count / group.size());
    std::rotate(values, values + moved, values + buffer.count);
    ring_reduce_scatter(group, buffer, scratch, {});
    std::rotate(values, values + buffer.count - moved, values + buffer.count);
  };
  return {on_ranks(arguments[0], scatter), sent(arguments, ring::reduce_scatter)};
}
Json ring_scattered(const Json& arguments) { return ring_half(arguments, 0); }
Json ring_scattered_ahead(const Json& arguments) { return ring_half(arguments, 1); }
Json ring_whole_chunks(const Json& arguments) {
  return {on_ranks(arguments[0],
                   [](ProcessGroup& group, MutableView buffer, MutableView scratch) {
                     const int64_t whole = buffer.count / group.size() * group.size();
                     ring_all_reduce(group, slice(buffer, 0, whole), scratch, {});
                   }),
          sent(arguments, ring::all_reduce)};
}
Json ring_to_all(const Json& arguments) {
  return {summed(arguments),
          sent(arguments, [](const Payload& of) { return 4 * of.elements * (of.size - 1); })};
}
Json ring_by_root(const Json& arguments) {
  return {summed(arguments), sent(arguments, [](const Payload& of) {
            return 4 * of.elements * (of.rank == 0 ? of.size - 1 : 1);
          })};
}

struct Call {
  bool sends = false;
  size_t peer = 0;
};
// Ranks whose sends wait until they are received. Where no rank can go on: what each of them waits at, "" at
// its end.
Json waits_of(const std::vector<std::vector<Call>>& calls) {
  std::vector<size_t> at(calls.size());
  const auto next = [&](size_t rank) {
    return at[rank] < calls[rank].size() ? &calls[rank][at[rank]] : nullptr;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t rank = 0; rank < calls.size(); ++rank) {
      const Call *own = next(rank), *other = own == nullptr ? nullptr : next(own->peer);
      if (other == nullptr || own->peer == rank || other->peer != rank || other->sends == own->sends)
        continue;
      ++at[own->peer];
      ++at[rank];
      moved = true;
    }
  }
  Json waits = Json::array();
  bool hangs = false;
  for (size_t rank = 0; rank < calls.size(); ++rank) {
    const Call* call = next(rank);
    hangs = hangs || call != nullptr;
    waits.push_back(call == nullptr ? "" : (call->sends ? "send " : "recv ") + std::to_string(call->peer));
  }
  return hangs ? Json{{"hang", waits}} : Json();
}

// From the rank that is so many places before.
Json from(const Json& arguments, int places) {
  return Json::array({on_ranks(arguments[0], [&](ProcessGroup& group, MutableView mine, MutableView theirs) {
    const int size = group.size(), to = (group.rank() + places + size) % size;
    if (size == 1) return;
    const WorkPtr send = group.send(mine, to, {});
    wait_all({send, group.recv(theirs, (group.rank() - places + size) % size, {})});
    std::copy_n(static_cast<const float*>(theirs.data), theirs.count, static_cast<float*>(mine.data));
  })});
}
Json exchange_right(const Json& arguments) { return from(arguments, 1); }
Json exchange_backward(const Json& arguments) { return from(arguments, -1); }
// Whether a rank sends before it receives decides where all of them wait.
Json exchange_by(const Json& arguments, bool (*sends_first)(size_t rank)) {
  const size_t size = arguments[0].size();
  std::vector<std::vector<Call>> calls;
  for (size_t rank = 0; rank < size; ++rank) {
    const Call send{true, (rank + 1) % size}, receive{false, (rank + size - 1) % size};
    calls.push_back(sends_first(rank) ? std::vector{send, receive} : std::vector{receive, send});
  }
  const Json waits = waits_of(calls);
  return waits.is_null() ? exchange_right(arguments) : waits;
}
Json exchange_send_first(const Json& arguments) {
  return exchange_by(arguments, [](size_t) { return true; });
}
Json exchange_receive_first(const Json& arguments) {
  return exchange_by(arguments, [](size_t) { return false; });
}
Json exchange_never_alone(const Json& arguments) {
  return exchange_by(arguments, [](size_t rank) { return rank % 2 == 0; });
}

int64_t whole(const Json& value) { return value.get<int64_t>(); }
// [begin, end) by where each shard begins.
Json bounds(const Json& a, int64_t (*begin)(int64_t n, int64_t size, int64_t rank)) {
  const int64_t n = whole(a[0]), size = whole(a[1]), rank = whole(a[2]);
  return Json::array({{begin(n, size, rank), begin(n, size, rank + 1)}});
}
Json shard_right(const Json& a) {
  const Chunk chunk = chunk_of(whole(a[0]), a[1].get<int>(), a[2].get<int>());
  return Json::array({{chunk.offset, chunk.offset + chunk.count}});
}
Json shard_last(const Json& a) {
  return bounds(a,
                [](int64_t n, int64_t size, int64_t rank) { return rank == size ? n : rank * (n / size); });
}
Json shard_dropped(const Json& a) {
  return bounds(a, [](int64_t n, int64_t size, int64_t rank) { return rank * (n / size); });
}
Json shard_rounded_up(const Json& a) {
  return bounds(
      a, [](int64_t n, int64_t size, int64_t rank) { return std::min(n, rank * ((n + size - 1) / size)); });
}
Json shard_first_ranks(const Json& a) {
  return bounds(
      a, [](int64_t n, int64_t size, int64_t rank) { return rank * (n / size) + std::min(rank, n % size); });
}

Json rank_case(size_t ranks, size_t count, uint64_t seed) { return json_of(drawn(ranks, count, seed)); }

CodingDrill ring() {
  CodingDrill drill{.id = "ring_all_reduce",
                    .title = "ring all-reduce over given send and recv",
                    .topic = "traffic",
                    .lesson = "rounding",
                    .judged_by = "ring_all_reduce and its cost, engine/collectives",
                    .arguments = {"buffer"},
                    .outputs = {{1, "buffer"}, {0, "elements that each rank sent"}},
                    .right = ring_right,
                    .ranks = Ranks::kBufferedSends};
  for (const auto& [ranks, count] : Pairs{{2, 2}, {3, 3}, {4, 8}, {3, 7}, {4, 2}, {1, 3}, {3, 0}})
    drill.cases.push_back(Json::array({rank_case(ranks, count, 1)}));
  const std::string scattered = "After the reduce-scatter a rank has the sum of one chunk alone.";
  drill.mistakes = {{"the all-gather is missing", ring_scattered, scattered},
                    {"the all-gather is missing", ring_scattered_ahead, scattered},
                    {"the remainder is left out", ring_whole_chunks,
                     "N chunks of n / N elements do not reach to the end of n."},
                    {"whole buffers travel", ring_to_all,
                     "Chunks of n / N are enough: 2 (N - 1) / N n instead of (N - 1) n."},
                    {"all of it goes through rank 0", ring_by_root,
                     "Rank 0 then sends (N - 1) n, and the others wait for it."}};
  return drill;
}

CodingDrill exchange() {
  CodingDrill drill{.id = "exchange",
                    .title = "an exchange that cannot deadlock",
                    .topic = "hangs",
                    .lesson = "nccl_timeout",
                    .judged_by = "send and recv of engine/comm",
                    .arguments = {"mine", "theirs"},
                    .outputs = {{2, "theirs"}},
                    .right = exchange_right,
                    .ranks = Ranks::kWaitingSends};
  for (const auto& [ranks, count] : Pairs{{2, 1}, {3, 2}, {4, 2}, {5, 1}, {1, 2}})
    drill.cases.push_back({rank_case(ranks, count, 2), json_of(Matrix(ranks, Vector(count)))});
  drill.mistakes = {
      {"all ranks send first", exchange_send_first, "Each waits until its peer receives, and no peer does."},
      {"all ranks receive first", exchange_receive_first,
       "Each waits until its peer sends, and no peer does."},
      {"a rank that is alone sends to itself", exchange_never_alone,
       "With N = 1 next and previous are the rank itself."},
      {"from the next rank, not the previous one", exchange_backward,
       "What r sends to r + 1 comes from r - 1."}};
  return drill;
}

CodingDrill shards() {
  return {
      .id = "shard_bounds",
      .title = "shard bounds with a remainder",
      .topic = "memory",
      .lesson = "zero",
      .judged_by = "chunk_of of engine/comm",
      .arguments = {"n", "ranks", "rank"},
      .outputs = {{0, "[begin, end)"}},
      .cases = {{8, 4, 1}, {10, 4, 0}, {10, 4, 1}, {10, 4, 3}, {3, 4, 2}, {0, 3, 1}, {7'000'000'003, 64, 63}},
      .right = shard_right,
      .mistakes = {
          {"the remainder goes to the last rank only", shard_last,
           "Its shard then has up to N - 1 elements more than the others, and all wait for it."},
          {"the remainder is dropped", shard_dropped, "The last n mod N elements are in no shard."},
          {"each shard is rounded up", shard_rounded_up,
           "The last ranks then have less than the others, or nothing: sizes differ by more than one."},
          {"the first n mod N ranks have one more", shard_first_ranks,
           "That is as equal, but another rule than floor(r n / N), which was asked for."}}};
}

}  // namespace

std::vector<CodingDrill> drills_on_ranks() { return {ring(), shards(), exchange()}; }

}  // namespace ringside::coding
