// A figure of each kind, all of the same run. Yours keeps those that show something. Each is a function of
// configuration, trace and instant; where there is nothing yet it returns {}.
#include "parts.h"
#include "ringside/figures/compute.h"

namespace ringside::lessons::example {
namespace {

using namespace figure;

constexpr size_t kEnough = 2000;  // points of a picture

std::string name_of(int rank) { return tr("rank {}", rank); }

// The all-reduces that a rank has ended at this instant.
std::vector<CollectiveEvent> ended(const FigureInput& input, int rank) {
  std::vector<CollectiveEvent> events;
  for (const CollectiveEvent& event : input.section->collectives(rank))
    if (event.op == Op::kAllReduce && event.state == CollectiveState::kCompleted &&
        event.time_completed_ns <= input.time_ns)
      events.push_back(event);
  return events;
}

double bytes_of(const std::vector<CollectiveEvent>& events) {
  double bytes = 0;
  for (const CollectiveEvent& event : events) bytes += static_cast<double>(event.bytes_sent);
  return bytes;
}
double seconds_of(const std::vector<CollectiveEvent>& events) {
  double seconds = 0;
  for (const CollectiveEvent& event : events)
    seconds += static_cast<double>(event.time_completed_ns - event.time_started_ns) / 1e9;
  return seconds;
}

bool nothing_yet(const FigureInput& input) {
  return input.section == nullptr || input.section->ranks() == 0 || ended(input, 0).empty();
}

// Lines: the sum that rank 0 found, over the step.
Value sums(const FigureInput& input) {
  Lines lines{{"step"}, {"sum"}, {{"found", Ink::kParameters, Stroke::kMeasured, {}}}};
  lines.marks = {{"N", input.config.real("ranks"), false}};
  if (input.section == nullptr || input.section->ranks() == 0) return {};
  for (const ScalarEvent& event : input.section->scalars(0))
    if (event.time_ns <= input.time_ns)
      lines.lines[0].points.push_back({static_cast<double>(event.step), event.value});
  if (lines.lines[0].points.empty()) return {};
  return thinned(std::move(lines), kEnough).value;  // however many steps there are
}

// Bars: what each rank sent in an all-reduce, and the formula's limit.
Value sent(const FigureInput& input) {
  if (nothing_yet(input)) return {};
  Bars bars{{"sent in one all-reduce", "bytes"}, {{"sent", Ink::kGradients}}, {}};
  for (int rank = 0; rank < input.section->ranks(); ++rank) {
    const auto events = ended(input, rank);
    const double calls = static_cast<double>(std::max<size_t>(1, events.size()));
    bars.rows.push_back({name_of(rank), {bytes_of(events) / calls}});
  }
  bars.limit = Mark{"twice the buffer", 2 * buffer_bytes(input.config)};
  return bars;
}

// Matrix: bytes by rank and call, of the last few calls.
Value calls(const FigureInput& input) {
  constexpr size_t kShown = 6;
  if (nothing_yet(input)) return {};
  Matrix matrix{"rank", "call", "bytes", {}, {}, {}};
  const size_t all = ended(input, 0).size(), first = all - std::min(all, kShown);
  for (size_t call = first; call < all; ++call) matrix.columns.push_back(std::to_string(call));
  for (int rank = 0; rank < input.section->ranks(); ++rank) {
    const auto events = ended(input, rank);
    matrix.rows.push_back(name_of(rank));
    for (size_t call = first; call < all; ++call)
      matrix.cells.push_back(call < events.size()
                                 ? MatrixCell{MatrixCell::State::kValue, bytes_of({events[call]})}
                                 : MatrixCell{});
  }
  return matrix;
}

// Contours: the formula over ranks and buffer, and where this scenario lies.
Value cost(const FigureInput& input) {
  constexpr size_t kGrid = 24;
  const double elements = input.config.real("elements"), most = std::max(2 * elements, 1e6);
  Contours map{{"ranks N", "", false, 1, 8}, {"elements", "", false, 0, most}, kGrid, kGrid, {}, {}, {}};
  for (size_t row = 0; row < kGrid; ++row)
    for (size_t column = 0; column < kGrid; ++column) {
      const double n = 1 + 7.0 * static_cast<double>(column) / (kGrid - 1);
      map.heights.push_back(8 * (n - 1) / n * most * static_cast<double>(row) / (kGrid - 1));
    }
  map.paths = {{"this scenario", Ink::kAccent, {{input.config.real("ranks"), elements}}}};
  return map;
}

// Boxes: the buffer in as many chunks as ranks; each rank adds up its own.
Value chunks(const FigureInput& input) {
  if (nothing_yet(input)) return {};
  Boxes boxes;
  const int ranks = input.section->ranks();
  for (int rank = 0; rank < ranks; ++rank) {
    BoxRow row{name_of(rank), {}, tr("sent {}", format_bytes(bytes_of(ended(input, rank))))};
    for (int chunk = 0; chunk < ranks; ++chunk)
      row.boxes.push_back({tr("chunk {}", chunk), hue(static_cast<size_t>(chunk)), 1, chunk == rank});
    boxes.rows.push_back(row);
    if (rank > 0)
      boxes.links.push_back(
          {{0, static_cast<size_t>(rank)}, {static_cast<size_t>(rank), static_cast<size_t>(rank)}});
  }
  return boxes;
}

// Lanes: who is in an all-reduce when.
Value in_time(const FigureInput& input) {
  if (nothing_yet(input)) return {};
  Lanes lanes{{"time", "s"}, {}, {}};
  const int64_t origin_ns = input.section->collectives(0)[0].time_created_ns;
  const auto seconds = [&](int64_t ns) { return static_cast<double>(ns - origin_ns) / 1e9; };
  for (int rank = 0; rank < input.section->ranks(); ++rank) {
    lanes.lanes.push_back(name_of(rank));
    for (const CollectiveEvent& event : ended(input, rank))
      lanes.items.push_back({static_cast<size_t>(rank), seconds(event.time_started_ns),
                             seconds(event.time_completed_ns), "", Ink::kGradients});
  }
  return thinned(std::move(lanes), kEnough).value;
}

// Graph: the ring, each rank with its time in all-reduces; lit is the one that spent the least there.
Value ring(const FigureInput& input) {
  if (nothing_yet(input)) return {};
  Graph graph;
  const auto ranks = static_cast<size_t>(input.section->ranks());
  std::vector<double> seconds;
  for (size_t rank = 0; rank < ranks; ++rank) {
    seconds.push_back(seconds_of(ended(input, static_cast<int>(rank))));
    graph.nodes.push_back({name_of(static_cast<int>(rank)), format_duration(seconds.back())});
    if (ranks > 1) graph.edges.push_back({rank, (rank + 1) % ranks});
  }
  const auto last = std::min_element(seconds.begin(), seconds.end());  // the others waited for it
  graph.nodes[static_cast<size_t>(last - seconds.begin())].lit = true;
  return graph;
}

// Listing: the loop, and what its lines came to on rank 0.
Value loop(const FigureInput& input) {
  if (nothing_yet(input)) return {};
  const auto events = ended(input, 0);
  return Listing{{{"fill(buffer, 1)", tr("× {}", events.size())},
                  {"all_reduce(buffer)", tr("{} in all", format_duration(seconds_of(events)))},
                  {"look(buffer.back())"}},
                 1};
}

// Table: a row a rank.
Value table(const FigureInput& input) {
  if (nothing_yet(input)) return {};
  Table rows{{{"rank"}, {"calls", "", true}, {"sent", "bytes", true}, {"time", "s", true}}, {}};
  for (int rank = 0; rank < input.section->ranks(); ++rank) {
    const auto events = ended(input, rank);
    rows.rows.push_back({{name_of(rank)},
                         {"", static_cast<double>(events.size())},
                         {"", bytes_of(events)},
                         {"", seconds_of(events)}});
  }
  return rows;
}

std::string sent_sentence(const FigureInput& input) {
  if (nothing_yet(input)) return "";
  const auto events = ended(input, 0);
  return tr("Rank 0 has sent {} in {} all-reduces.", format_bytes(bytes_of(events)), events.size());
}

}  // namespace

std::vector<FigureOf> figures() {
  return {{"sent", sent, sent_sentence},
          {"sums", sums},
          {"calls", calls},
          {"cost", cost},
          {"chunks", chunks},
          {"lanes", in_time},
          {"ring", ring},
          {"loop", loop},
          {"table", table}};
}

std::vector<Readout> readouts(const FigureInput& input) {
  if (nothing_yet(input)) return {};
  const auto events = ended(input, 0);
  return {{tr("all-reduces"), std::to_string(events.size())},
          {tr("sent by rank 0"), format_bytes(bytes_of(events))}};
}

}  // namespace ringside::lessons::example
