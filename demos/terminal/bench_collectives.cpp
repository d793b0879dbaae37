// `ringside bench collectives`: thread ranks, the engine's sums over sockets and over Gloo, and Gloo's own,
// in turns with what the machine copies and what its loopback carries. The columns are those of nccl-tests:
//
//   size    bytes of the larger buffer        algbw = size / time
//   count   its elements                      busbw = algbw x what a rank sends / size
//
//   all_reduce 2(N-1)/N; all_gather, reduce_scatter, all_to_all (N-1)/N; broadcast 1
//
// (https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md)
#include <fmt/format.h>

#include "bench_run.h"
#include "collective_sides.h"
#include "memory_passes.h"
#include "rank_team.h"
#include "ringside/base/median.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "table_text.h"

namespace ringside {
namespace {

constexpr int64_t kRoundsOfCalls = 11, kGrowth = 4;
constexpr int64_t kBytesATurn = int64_t{1} << 22;  // small calls are made several times, up to:
constexpr int64_t kMostCalls = 20;
constexpr int64_t kTriadElements = int64_t{1} << 24;

constexpr Op kOps[] = {Op::kAllReduce, Op::kAllGather, Op::kReduceScatter, Op::kBroadcast, Op::kAllToAll};

std::vector<Op> chosen_ops(const BenchOptions& bench) {
  std::vector<std::string> names;
  for (const Op op : kOps) names.emplace_back(to_string(op));
  std::vector<Op> ops;
  for (const std::string& name : bench.lines) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw UsageError("bench collectives: " + no_such("collective", name, names));
    ops.push_back(kOps[found - names.begin()]);
  }
  return ops.empty() ? std::vector<Op>{Op::kAllReduce} : ops;
}

// One rank's buffers, of which the larger one has `count` elements. What is in them is small enough for every
// sum to be exact in every type.
class RankBuffers {
 public:
  RankBuffers(Op op, Dtype dtype, int rank, int ranks, int64_t count)
      : op_(op),
        dtype_(dtype),
        rank_(rank),
        ranks_(ranks),
        count_(count),
        in_(bytes(in_count())),
        out_(bytes(out_count())) {}

  // A broadcast and an all-reduce work in one buffer.
  Collective call() {
    const MutableView out{out_.data(), out_count(), dtype_};
    const ConstView in{in_.data(), in_count(), dtype_};
    const bool one_buffer = op_ == Op::kAllReduce || op_ == Op::kBroadcast;
    return {.op = op_,
            .input = one_buffer ? ConstView(out) : in,
            .output = out,
            .tag = {"bench", ""},
            .peer = op_ == Op::kBroadcast ? 0 : -1};
  }
  void fill() {
    for (int64_t i = 0; i < in_count(); ++i) put(in_, i, value(rank_, i));
    for (int64_t i = 0; i < out_count(); ++i) put(out_, i, value(rank_, i));
  }
  int64_t wrong() const {
    int64_t wrong = 0;
    for (int64_t i = 0; i < out_count(); ++i) wrong += get(out_, i) != expected(i);
    return wrong;
  }

 private:
  static int value(int rank, int64_t i) { return int((i * 7 + rank * 3) % 5); }
  bool splits() const { return op_ != Op::kAllReduce && op_ != Op::kBroadcast; }
  int64_t part() const { return count_ / ranks_; }
  int64_t in_count() const { return op_ == Op::kAllGather ? part() : splits() ? part() * ranks_ : count_; }
  int64_t out_count() const {
    return op_ == Op::kReduceScatter ? part() : splits() ? part() * ranks_ : count_;
  }
  size_t bytes(int64_t count) const { return size_t(count * size_of(dtype_)); }

  int expected(int64_t i) const {
    const auto sum_at = [&](int64_t at) {
      int sum = 0;
      for (int rank = 0; rank < ranks_; ++rank) sum += value(rank, at);
      return sum;
    };
    switch (op_) {
      case Op::kAllReduce: return sum_at(i);
      case Op::kReduceScatter: return sum_at(rank_ * part() + i);
      case Op::kAllGather: return value(int(i / part()), i % part());
      case Op::kAllToAll: return value(int(i / part()), rank_ * part() + i % part());
      default: return value(0, i);
    }
  }
  // A bfloat16 is the upper half of a float.
  void put(std::vector<std::byte>& to, int64_t i, int number) const {
    const auto value = float(number);
    const auto* from = reinterpret_cast<const std::byte*>(&value) + sizeof value - bytes(1);
    std::copy_n(from, bytes(1), to.begin() + i * size_of(dtype_));
  }
  int get(const std::vector<std::byte>& from, int64_t i) const {
    float value = 0;
    std::copy_n(from.begin() + i * size_of(dtype_), bytes(1),
                reinterpret_cast<std::byte*>(&value) + sizeof value - bytes(1));
    return int(value);
  }

  const Op op_;
  const Dtype dtype_;
  const int rank_, ranks_;
  const int64_t count_;
  std::vector<std::byte> in_, out_;
};

double moved_share(Op op, int ranks) {  // of the size, by one rank
  const double others = ranks - 1;
  return op == Op::kBroadcast ? 1 : (op == Op::kAllReduce ? 2 : 1) * others / ranks;
}

struct CollectiveTimes {
  Op op = Op::kAllReduce;
  int64_t size = 0, count = 0;
  std::string how;
  std::vector<double> ms;        // of a call, each round
  std::optional<int64_t> wrong;  // elements, over all ranks; of a limit nothing

  double algbw() const { return double(size) / median(ms) * 1e-6; }  // GB/s
};

// One collective of one size: all sides and limits in turns.
class SizeBench {
 public:
  SizeBench(BenchRun& run, Op op, Dtype dtype, int64_t bytes, const std::vector<CollectiveSide>& sides,
            const std::vector<MachineLimit>& limits, RankTeam& team)
      : run_(run),
        op_(op),
        ranks_(run.wanted.ranks),
        bytes_(bytes),
        limits_(limits),
        team_(team),
        calls_(std::clamp(kBytesATurn / bytes, int64_t{1}, kMostCalls)) {
    for (int rank = 0; rank < ranks_; ++rank)
      buffers_.push_back(std::make_unique<RankBuffers>(op, dtype, rank, ranks_, bytes / size_of(dtype)));
    for (const CollectiveSide& side : sides)
      if (side.takes(buffers_.front()->call())) sides_.push_back(&side);
    for (const CollectiveSide* side : sides_)
      rows_.push_back({op, bytes, bytes / size_of(dtype), side->name, {}, wrong_of(*side)});
    for (const MachineLimit& limit : limits)
      rows_.push_back({op, bytes, bytes / size_of(dtype), limit.name, {}, {}});
  }

  std::vector<CollectiveTimes> times(const Progress& now) {
    std::vector<std::function<void()>> turns;
    for (const CollectiveSide* side : sides_) turns.emplace_back([this, side] { carry(*side, calls_); });
    const auto moved = int64_t(double(bytes_) * moved_share(op_, ranks_));
    for (const MachineLimit& limit : limits_)
      turns.emplace_back([this, &limit, moved] {
        team_.run([&](int member) {
          for (int64_t call = 0; call < calls_ && member < limit.members; ++call) limit.move(member, moved);
        });
      });
    const RoundsMs ms = run_.in_turns(turns, kRoundsOfCalls, now);
    for (size_t i = 0; i < rows_.size(); ++i)
      for (const double turn : ms[i]) rows_[i].ms.push_back(turn / double(calls_));
    return rows_;
  }

 private:
  void carry(const CollectiveSide& side, int64_t calls) {
    team_.run([&](int member) {
      if (member >= ranks_) return;
      const Collective call = buffers_[size_t(member)]->call();
      for (int64_t i = 0; i < calls; ++i) side.carry(member, call);
    });
  }
  int64_t wrong_of(const CollectiveSide& side) {
    for (const auto& buffers : buffers_) buffers->fill();
    carry(side, 1);
    int64_t wrong = 0;
    for (const auto& buffers : buffers_) wrong += buffers->wrong();
    return wrong;
  }

  BenchRun& run_;
  const Op op_;
  const int ranks_;
  const int64_t bytes_;
  const std::vector<MachineLimit>& limits_;
  RankTeam& team_;
  const int64_t calls_;                                // in a row
  std::vector<std::unique_ptr<RankBuffers>> buffers_;  // (rank)
  std::vector<const CollectiveSide*> sides_;
  std::vector<CollectiveTimes> rows_;
};

// The interval of a median is that of its ratio to 1.
std::optional<RatioInterval> interval_of(const std::vector<double>& ms, double factor) {
  return ratio_of(ms, std::vector<double>(ms.size(), 1), factor);
}

std::string short_name(const std::string& how) {
  return how == "gloo_halving_doubling" ? "gloo_halving" : how;
}

const CollectiveTimes* find(const std::vector<CollectiveTimes>& rows, const std::string& how) {
  const auto found = std::ranges::find(rows, how, &CollectiveTimes::how);
  return found == rows.end() || found->ms.empty() ? nullptr : &*found;
}
// Of Gloo's own.
const CollectiveTimes* fastest_of_gloo(const std::vector<CollectiveTimes>& rows) {
  const CollectiveTimes* fastest = nullptr;
  for (const CollectiveTimes& row : rows)
    if (row.how.starts_with("gloo_") && !row.ms.empty() &&
        (fastest == nullptr || median(row.ms) < median(fastest->ms)))
      fastest = &row;
  return fastest;
}
std::optional<RatioInterval> times_as_long(const CollectiveTimes* a, const CollectiveTimes* b) {
  return a == nullptr || b == nullptr ? std::nullopt : ratio_of(a->ms, b->ms);
}

// The rows of one collective and size.
using SizeRows = std::vector<CollectiveTimes>;

std::string times_table(const SizeRows& rows, int ranks, size_t width) {
  std::vector<std::vector<std::string>> lines;
  for (const CollectiveTimes& row : rows) {
    const auto us = interval_of(row.ms, 1e3);
    if (!us) continue;
    const double algbw = row.algbw();
    lines.push_back({std::to_string(row.size), std::to_string(row.count), short_name(row.how),
                     fmt::format("{:.0f}", us->median), fmt::format("[{:.0f}, {:.0f}]", us->low, us->high),
                     row.wrong ? fmt::format("{:.2f}", algbw) : "",
                     fmt::format("{:.2f}", algbw * moved_share(row.op, ranks)),
                     row.wrong ? std::to_string(*row.wrong) : ""});
  }
  return lines.empty()
             ? ""
             : table_text({" size", " count", "how", " us", "interval", " algbw", " busbw", " wrong"}, lines,
                          int(width));
}

std::string ratios_table(const std::vector<SizeRows>& sizes, size_t width) {
  std::vector<std::vector<std::string>> lines;
  for (const SizeRows& rows : sizes) {
    const CollectiveTimes* gloo = fastest_of_gloo(rows);
    if (gloo == nullptr) continue;
    lines.push_back({std::to_string(rows.front().size), short_name(gloo->how),
                     ratio_text(times_as_long(gloo, find(rows, "threads"))),
                     ratio_text(times_as_long(find(rows, "gloo"), gloo)),
                     ratio_text(times_as_long(find(rows, "sockets"), gloo))});
  }
  return lines.empty() ? ""
                       : table_text({" size", "Gloo's fastest", "it / threads", "gloo / it", "sockets / it"},
                                    lines, int(width));
}

Json times_json(const CollectiveTimes& row, int ranks) {
  Json json = {{"how", row.how},
               {"time_us", ratio_json(interval_of(row.ms, 1e3))},
               {"busbw_gb_per_s", nullptr},
               {"algbw_gb_per_s", nullptr},
               {"wrong", or_null(row.wrong)},
               {"round_ms", row.ms}};
  if (row.ms.empty()) return json;
  json["busbw_gb_per_s"] = row.algbw() * moved_share(row.op, ranks);
  if (row.wrong) json["algbw_gb_per_s"] = row.algbw();
  return json;
}

Json size_json(const SizeRows& rows, const std::string& type, int ranks) {
  const CollectiveTimes* gloo = fastest_of_gloo(rows);
  return {{"collective", to_string(rows.front().op)},
          {"size", rows.front().size},
          {"count", rows.front().count},
          {"type", type},
          {"fastest_of_gloo", gloo == nullptr ? Json() : Json(gloo->how)},
          {"it_to_threads", ratio_json(times_as_long(gloo, find(rows, "threads")))},
          {"gloo_to_it", ratio_json(times_as_long(find(rows, "gloo"), gloo))},
          {"sockets_to_it", ratio_json(times_as_long(find(rows, "sockets"), gloo))},
          {"times", array_of(rows, [&](const CollectiveTimes& row) { return times_json(row, ranks); })}};
}

double triad_gb_per_s(BenchRun& run) {
  Triad triad(kTriadElements);
  const RoundsMs ms = run.in_turns({[&] { triad.run(run.wanted.ranks, Triad::can_stream()); }},
                                   kRoundsOfCalls, {"triad", 0, 1});
  return ms[0].empty() ? 0 : double(kTriadBytes * kTriadElements) / median(ms[0]) * 1e-6;
}

}  // namespace

BenchResult bench_collectives(BenchRun& run) {
  const BenchOptions& bench = run.wanted;
  const std::vector<Op> ops = chosen_ops(bench);
  const Dtype dtype = bench.type == "bf16" ? Dtype::kBFloat16 : Dtype::kFloat32;
  if (bench.from_bytes > bench.to_bytes) throw UsageError("bench collectives: --from is larger than --to");
  const std::vector<CollectiveSide> sides = connect_sides(bench.ranks);
  const std::vector<MachineLimit> limits = machine_limits(bench.ranks, 2 * bench.to_bytes);
  RankTeam team(2 * bench.ranks);
  std::vector<SizeRows> sizes;
  for (const Op op : ops)
    for (int64_t bytes = bench.from_bytes; bytes <= bench.to_bytes && !run.stop(); bytes *= kGrowth) {
      const Progress now{fmt::format("{} of {}", to_string(op), format_bytes(double(bytes))),
                         std::ssize(sizes), 0};
      sizes.push_back(SizeBench(run, op, dtype, bytes, sides, limits, team).times(now));
    }
  const double triad = run.stop() ? 0 : triad_gb_per_s(run);
  BenchResult result;
  for (const SizeRows& rows : sizes)
    for (const CollectiveTimes& row : rows) result.passed = result.passed && row.wrong.value_or(0) == 0;
  result.what = tr("{} ranks, {}, {} rounds in turns", bench.ranks, bench.type,
                   sizes.empty() ? 0 : sizes.front().front().ms.size());
  result.fields = {{"ranks", bench.ranks},
                   {"warm_up_rounds", bench.warm_up},
                   {"triad_gb_per_s", triad},
                   {"sizes", array_of(sizes, [&](const SizeRows& rows) {
                      return size_json(rows, bench.type, bench.ranks);
                    })}};
  for (const Op op : ops) {
    std::vector<SizeRows> own;
    std::ranges::copy_if(sizes, std::back_inserter(own),
                         [&](const SizeRows& rows) { return rows.front().op == op; });
    result.text += std::string(to_string(op)) + '\n';
    for (const SizeRows& rows : own) result.text += times_table(rows, bench.ranks, run.width);
    result.text += ratios_table(own, run.width);
  }
  result.text +=
      wrap(
          tr("Bandwidths are in GB/s: algbw = size / time, busbw what each rank sends in that time. Ranks "
             "are threads of this process; over sockets (Unix) and over Gloo (TCP through loopback) each has "
             "connections of its own, as a process has. gloo is the engine's sum in rank order over Gloo; "
             "gloo_ring and its like are Gloo's own calls, which compare no records. copy and loopback move "
             "as many bytes a rank as busbw counts: the limits of threads and of Gloo. The triad of this "
             "machine, on {} threads: {:.1f} GB/s.",
             bench.ranks, triad),
          run.width, 0) +
      '\n';
  return result;
}

}  // namespace ringside
