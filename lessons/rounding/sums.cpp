// Adds the same bfloat16 values up in three ways over 2, 4, 8, ... ranks, and compares each sum with the
// exact one.
#include <bit>

#include "ringside/base/bfloat16.h"
#include "ringside/base/distance.h"
#include "ringside/base/random.h"
#include "ringside/collectives/cost.h"
#include "ringside/collectives/ring.h"
#include "ringside/comm/accumulator.h"
#include "ringside/planner/run_rows.h"
#include "ringside/world/world.h"
#include "rows.h"

namespace ringside::lessons::rounding {
namespace {

using Halves = std::vector<uint16_t>;                     // bfloat16, by their bits
using Sums = std::map<std::string, std::vector<Halves>>;  // way -> (rank) what it ended with

// ---- One rank -----------------------------------------------------------------------

MutableView view_of(Halves& values) { return {values.data(), std::ssize(values), Dtype::kBFloat16}; }
MutableView view_of(std::vector<float>& values) {
  return {values.data(), std::ssize(values), Dtype::kFloat32};
}

// What every rank ended with.
Sums sum_on(const std::vector<Recorder*>& recorders, const std::vector<Halves>& values, RunControl& control) {
  Sums sums;
  for (const char* way : kWays) sums[way].assign(values.begin(), values.begin() + std::ssize(recorders));
  run_world({.ranks = int(recorders.size()), .recorders = recorders, .cancel = &control}, [&](World& world) {
    ProcessGroup& group = world.group("dp");
    const auto rank = size_t(world.rank());
    Halves narrow(values[rank].size());
    std::vector<float> wide(narrow.size()), scratch(narrow.size());
    ring_all_reduce(group, view_of(sums.at(kEachHop)[rank]), view_of(narrow), {kEachHop, ""});
    group.all_reduce(view_of(sums.at(kAtOwner)[rank]), {kAtOwner, ""})->wait();
    ring_all_reduce_in_fp32(group, view_of(sums.at(kWide)[rank]), view_of(wide), view_of(scratch),
                            {kWide, ""});
  });
  return sums;
}

// ---- Errors -------------------------------------------------------------------------

struct Distances {
  const char* name;
  int from, to;
};
constexpr Distances kDistances[] = {{"right to the bit", 0, 0}, {"1 ulp away", 1, 1},
                                    {"2 ulp away", 2, 2},       {"3 to 4", 3, 4},
                                    {"5 to 8", 5, 8},           {"9 or more", 9, 1 << 16}};

// In percent; an element each.
double share_of(const std::vector<int>& distances, int from, int to) {
  const auto inside =
      std::ranges::count_if(distances, [&](int distance) { return distance >= from && distance <= to; });
  return 100.0 * double(inside) / double(distances.size());
}

// Returns the distance of each element from the right one.
std::vector<int> record_errors(Recorder& pen, WayRow row, const std::vector<Halves>& sums,
                               const std::vector<double>& exact) {
  std::vector<float> sum;
  append_as_float(sum, {sums.front().data(), std::ssize(exact), Dtype::kBFloat16});
  std::vector<double> errors;
  std::vector<int> distances;
  for (size_t i = 0; i < exact.size(); ++i) {
    distances.push_back(bf16_ulps_between(sums.front()[i], double_to_bf16(exact[i])));
    if (exact[i] == 0) continue;  // it has no ulp
    errors.push_back(std::abs(sum[i] - exact[i]) / bf16_ulp(exact[i]));
    row.mean += errors.back();
    row.most = std::max(row.most, errors.back());
  }
  row.mean /= double(errors.size());
  row.median = median(errors);
  row.right = share_of(distances, 0, 0);
  row.relative = relative_distance(sum, exact);
  row.one_result = std::equal(sums.begin() + 1, sums.end(), sums.begin());
  record_row(pen, row);
  for (int block = 0; row.way == kEachHop && block < kBlocks; ++block) {
    const Chunk at = chunk_of(std::ssize(exact), kBlocks, block);
    const auto in_block = [&](const auto& all) { return std::span(all).subspan(at.offset, at.count); };
    record_row(pen, BlockRow{row.ranks, relative_distance(in_block(sum), in_block(exact))});
  }
  return distances;
}

// ---- Bytes --------------------------------------------------------------------------

// What the formulas of collectives/cost.h say of a section against what was counted in it.
std::vector<LedgerRow> ledger_of(const Trace& trace, const std::string& section, int64_t elements,
                                 int ranks) {
  return ledger_of(trace, section, [&](RankRows& rows) {
    const Payload narrow{elements, Dtype::kBFloat16, ranks, rows.place()},
        wide{elements, Dtype::kFloat32, ranks, rows.place()};
    for (const auto& [way, payload] : {std::pair(kEachHop, narrow), std::pair(kWide, wide)}) {
      rows.traffic(way, Op::kSend).predicted = ring::all_reduce(payload);
      rows.traffic(way, Op::kRecv);
    }
    rows.traffic(kAtOwner, Op::kAllReduce).predicted = direct::all_reduce(narrow);
  });
}

// ---- The run ------------------------------------------------------------------------

// (rank) values as gradients are: normal; or all of one sign.
std::vector<Halves> draw(const Config& config, int ranks) {
  const auto seed = uint64_t(config.integer("seed"));
  const bool one_sign = config.text("values") == "positive";
  std::vector<Halves> values(static_cast<size_t>(ranks));
  for (size_t rank = 0; rank < values.size(); ++rank) {
    RandomStream stream(seed, "gradient", rank);
    for (int64_t i = 0; i < config.integer("elements"); ++i) {
      const double value = stream.normal();
      values[rank].push_back(float_to_bf16(float(one_sign ? std::abs(value) : value)));
    }
  }
  return values;
}

// One element a chunk: rank 0 has 256, the others 1.
void run_one_large(const RunContext& context, int ranks, TraceRows& rows) {
  std::vector<Halves> values;
  const auto size = size_t(ranks);
  for (int rank = 0; rank < ranks; ++rank) values.emplace_back(size, float_to_bf16(rank == 0 ? 256 : 1));
  const auto recorders = context.store.add_section(kLarge, {{"ranks", int64_t{ranks}}}, ranks);
  const SpanScope span(*recorders.at(0), "step", 0);
  const Sums sums = sum_on(recorders, values, context.control);
  for (size_t chunk = 0; chunk < size; ++chunk)
    record_row(*recorders[0], ChunkRow{int64_t(chunk), bf16_to_float(sums.at(kEachHop)[0][chunk]),
                                       bf16_to_float(sums.at(kAtOwner)[0][chunk]), 255.0 + ranks});
  const auto ledger = ledger_of(context.store.snapshot(), kLarge, ranks, ranks);
  rows.ledger.insert(rows.ledger.end(), ledger.begin(), ledger.end());
}

}  // namespace

void run(const Config& config, const RunContext& context) {
  const auto most = int(config.integer("ranks"));
  const std::vector<Halves> values = draw(config, most);
  // A double holds these sums exactly: it has 53 digits, of which 64 values of 8 digits need fewer.
  std::vector<double> exact(values.front().size());
  int added = 0;
  TraceRows rows;
  for (int ranks = 2, done = 1; ranks <= most; ranks *= 2, ++done) {
    context.control.pass_step();
    const std::string section = tr("{} ranks", ranks);
    const auto recorders = context.store.add_section(section, {{"ranks", int64_t{ranks}}}, ranks);
    const SpanScope span(*recorders.at(0), "step", 0);
    const Sums sums = sum_on(recorders, values, context.control);
    for (; added < ranks; ++added)
      for (size_t i = 0; i < exact.size(); ++i) exact[i] += bf16_to_float(values[size_t(added)][i]);
    const auto ledger = ledger_of(context.store.snapshot(), section, std::ssize(exact), ranks);
    std::vector<std::vector<int>> distances;  // of each way
    for (const char* way : kWays) {
      WayRow row{.way = way, .ranks = ranks};
      for (const LedgerRow& one : ledger)
        if (one.what == "traffic" && one.category == way) row.bytes += double(one.counted) / ranks;
      distances.push_back(record_errors(*recorders[0], row, sums.at(way), exact));
    }
    for (const auto& [name, from, to] : kDistances)
      record_row(*recorders[0],
                 DistanceRow{ranks, tr("{}", name), share_of(distances[0], from, to),
                             share_of(distances[1], from, to), share_of(distances[2], from, to)});
    rows.ledger.insert(rows.ledger.end(), ledger.begin(), ledger.end());
    context.progress({section, done, std::bit_width(unsigned(most))});
  }
  context.control.pass_step();
  run_one_large(context, most, rows);
  context.store.set_rows(rows);
}

}  // namespace ringside::lessons::rounding
