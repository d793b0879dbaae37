// What the run records: how far each way of adding is from the exact sum.
#pragma once

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/rows.h"

namespace ringside::rounding {

// Three all-reduces of the same bfloat16 values: also the tag under which each is counted.
inline constexpr char kEachHop[] = "bf16 ring";
inline constexpr char kAtOwner[] = "bf16, owner adds", kWide[] = "fp32 ring";
inline constexpr const char* kWays[] = {kEachHop, kAtOwner, kWide};
inline constexpr char kLarge[] = "one large value";  // the section of 256 and ones

// One way at one number of ranks. An error is |sum - exact| in ulps: distances of two bfloat16 neighbours
// there.
struct WayRow {
  static constexpr char kTable[] = "ways";
  int64_t ranks = 0;
  std::string way;
  double right = 0, median = 0, mean = 0, most = 0, relative = 0, bytes = 0;
  bool one_result = false;
};
void visit_fields(RowOf<WayRow> auto& row, auto&& visit) {
  visit(Field{"ranks", "N"}, row.ranks);
  visit(Field{"way", "how the sum was made"}, row.way);
  visit(Field{"right", "elements that are the exact sum, rounded", "%"}, row.right);
  visit(Field{"median", "error", "ulp"}, row.median);
  visit(Field{"mean", "error", "ulp"}, row.mean);
  visit(Field{"most", "error", "ulp"}, row.most);
  visit(Field{"relative", "length of all errors, of the length of all sums"}, row.relative);
  visit(Field{"bytes", "that a rank sent, the mean over ranks", "bytes"}, row.bytes);
  visit(Field{"one result", "every rank has the same bits"}, row.one_result);
}

// How many bfloat16 numbers lie between a sum and the right one.
struct DistanceRow {
  static constexpr char kTable[] = "distances";
  int64_t ranks = 0;
  std::string way;
  int64_t from = 0, to = 0;
  double share = 0;
};
void visit_fields(RowOf<DistanceRow> auto& row, auto&& visit) {
  visit(Field{"ranks", "N"}, row.ranks);
  visit(Field{"way", "how the sum was made"}, row.way);
  visit(Field{"from", "so many bfloat16 numbers away", "ulp"}, row.from);
  visit(Field{"to", "or up to so many", "ulp"}, row.to);
  visit(Field{"share", "of the elements", "%"}, row.share);
}

// The relative error of the bfloat16 ring in one of kBlocks parts of the buffer: a repetition of it.
inline constexpr int kBlocks = 9;
struct BlockRow {
  static constexpr char kTable[] = "blocks";
  int64_t ranks = 0;
  double relative = 0;
};
void visit_fields(RowOf<BlockRow> auto& row, auto&& visit) {
  visit(Field{"ranks", "N"}, row.ranks);
  visit(Field{"relative", "length of its errors, of the length of its sums"}, row.relative);
}

// Rank 0 has 256 and each other rank 1: the sum in a chunk.
struct ChunkRow {
  static constexpr char kTable[] = "chunks";
  int64_t chunk = 0;
  double ring = 0, owner = 0, exact = 0;
};
void visit_fields(RowOf<ChunkRow> auto& row, auto&& visit) {
  visit(Field{"chunk", "of the buffer"}, row.chunk);
  visit(Field{"ring", "sum of the bfloat16 ring"}, row.ring);
  visit(Field{"owner", "sum of the owner, in fp32, rounded once"}, row.owner);
  visit(Field{"exact", "sum"}, row.exact);
}

std::vector<WayRow> rows_of(const Trace& trace, const std::string& way);  // in rising order of ranks
int64_t most_ranks(const Trace& trace);                                   // 0: none has been measured

void run(const Config& config, const RunContext& context);
std::vector<FigureSpec> figures();
std::vector<Readout> readouts(const FigureInput& input);

}  // namespace ringside::rounding
