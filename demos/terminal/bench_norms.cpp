// `ringside bench norms`: forward and backward of layer norm and RMS norm, in turns with LibTorch's and with
// the machine's own triad.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>

#include "build_info.h"
#include "commands.h"
#include "interrupt.h"
#include "memory_passes.h"
#include "norm_passes.h"
#include "progress_line.h"
#include "ringside/base/clock.h"
#include "ringside/base/median.h"
#include "ringside/base/ratio.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "run_json.h"
#include "terminal.h"
#include "turns.h"

namespace ringside {
namespace {

constexpr int64_t kNormRounds = 15;
// A smaller norm is done several times: what the turn before left in the caches is the smaller part of it.
constexpr int64_t kCellsATurn = int64_t{1} << 23;

struct NormShape {
  int64_t rows, width;
};
// Of a tensor: from 256 KiB, which the second-level cache holds, to 16 MiB, which few caches do; a width of
// large models last.
constexpr NormShape kShapes[] = {{512, 128},   {2048, 256},  {1024, 512}, {4096, 512},
                                 {2048, 1024}, {4096, 1024}, {512, 4096}};

// Forward reads x and writes y, backward reads x and dy and writes dx: 4 bytes each. Weights and statistics
// stay in the caches.
struct PassTimes {
  std::string pass;
  int64_t bytes;                                   // a cell
  std::vector<double> own_ms = {}, torch_ms = {};  // of each round; torch's may be missing
};

struct NormTimes {
  std::string norm;
  NormShape shape;
  int64_t times = 1;  // a turn
  PassTimes forward = {"forward", 8}, backward = {"backward", 12}, both = {"both", 20};
  std::vector<double> triad_ms = {};  // of each round: with plain stores or streaming ones, the faster
  double cells() const { return static_cast<double>(times * shape.rows * shape.width); }
  std::vector<const PassTimes*> passes() const { return {&forward, &backward, &both}; }
};

struct NormBench {
  std::vector<NormTimes> rows;
  bool complete = true;
  double seconds = 0;
};

std::vector<std::string> chosen_norms(const BenchOptions& bench) {
  const std::vector<std::string> all = {"layer", "rms"};
  for (const std::string& name : bench.lines)
    if (std::ranges::find(all, name) == all.end())
      throw UsageError("bench norms: no norm '" + name + "'" + suggestion(name, all) +
                       " There are: " + join(all));
  return bench.lines.empty() ? all : bench.lines;
}

std::vector<double> sum(std::vector<double> a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

// The sides of one norm in turns: the engine's passes, the triad over as many cells, LibTorch's passes.
Turns norm_turns(NormTimes& row, const TurnsOptions& options) {
  const NormSides norm = norm_sides(row.norm, row.shape.rows, row.shape.width, row.times);
  Triad triad(row.shape.rows * row.shape.width);
  const auto triads = [&](bool streaming) {
    return [&triad, &row, streaming] {
      for (int64_t i = 0; i < row.times; ++i) triad.run(1, streaming);
    };
  };
  std::vector<std::function<void()>> sides = {norm.own.forward, norm.own.backward, triads(false),
                                              triads(Triad::can_stream())};
  if (norm.torch) sides.insert(sides.end(), {norm.torch.forward, norm.torch.backward});
  Turns turns = take_turns(sides, options);
  row.forward.own_ms = turns.ms[0], row.backward.own_ms = turns.ms[1];
  std::ranges::transform(turns.ms[2], turns.ms[3], std::back_inserter(row.triad_ms),
                         [](double plain, double streaming) { return std::min(plain, streaming); });
  if (norm.torch) row.forward.torch_ms = turns.ms[4], row.backward.torch_ms = turns.ms[5];
  row.both.own_ms = sum(row.forward.own_ms, row.backward.own_ms);
  row.both.torch_ms = sum(row.forward.torch_ms, row.backward.torch_ms);
  return turns;
}

NormBench measure_norms(const Options& options) {
  const int64_t start = now_ns();
  InterruptScope interrupt;
  ProgressLine progress(can_redraw_stderr() && !options.quiet, std::cerr);
  NormBench bench;
  const std::vector<std::string> norms = chosen_norms(options.bench);
  for (const std::string& norm : norms)
    for (const NormShape& shape : kShapes) {
      if (!bench.complete) break;
      NormTimes row{norm, shape, std::max<int64_t>(1, kCellsATurn / (shape.rows * shape.width))};
      const Progress now{norm, std::ssize(bench.rows), std::ssize(norms) * std::ssize(kShapes)};
      bench.complete = norm_turns(row, {.rounds = options.bench.rounds.value_or(kNormRounds),
                                        .warm_up = options.bench.warm_up,
                                        .stop = [&] { return interrupt.interrupted(); },
                                        .after_turn = [&] { progress.draw(now, stderr_width()); }})
                           .complete;
      bench.rows.push_back(std::move(row));
    }
  bench.seconds = static_cast<double>(now_ns() - start) * 1e-9;
  return bench;
}

// Of the floor: the time that the triad takes for as many bytes. ms: the pass's own_ms or torch_ms.
RatioInterval of_the_floor(const PassTimes& pass, const std::vector<double>& ms, const NormTimes& row) {
  RatioInterval ratio = ratio_interval(ms, row.triad_ms);
  for (double* value : {&ratio.median, &ratio.low, &ratio.high})
    *value *= static_cast<double>(kTriadBytes) / static_cast<double>(pass.bytes);
  return ratio;
}

Json norm_ratio_json(const RatioInterval& ratio) {
  return {
      {"median", ratio.median}, {"low", ratio.low}, {"high", ratio.high}, {"confidence", ratio.confidence}};
}

Json pass_json(const PassTimes& pass, const NormTimes& row) {
  const bool any = !pass.own_ms.empty(), both = any && !pass.torch_ms.empty();
  return {{"pass", pass.pass},
          {"bytes_per_cell", pass.bytes},
          {"ns_per_cell", any ? Json(1e6 * median(pass.own_ms) / row.cells()) : Json()},
          {"of_the_floor", any ? norm_ratio_json(of_the_floor(pass, pass.own_ms, row)) : Json()},
          {"torch_takes", both ? norm_ratio_json(ratio_interval(pass.torch_ms, pass.own_ms)) : Json()},
          {"torch_of_the_floor", both ? norm_ratio_json(of_the_floor(pass, pass.torch_ms, row)) : Json()},
          {"round_ms", pass.own_ms},
          {"torch_ms", pass.torch_ms}};
}

// What stands beside "passes" is of forward and backward together.
Json norm_json(const NormTimes& row) {
  Json json = pass_json(row.both, row);
  for (const char* of_a_pass : {"pass", "bytes_per_cell"}) json.erase(of_a_pass);
  json.update({{"norm", row.norm},
               {"rows", row.shape.rows},
               {"width", row.shape.width},
               {"times", row.times},
               {"triad_ms", row.triad_ms},
               {"passes", Json::array({pass_json(row.forward, row), pass_json(row.backward, row)})}});
  return json;
}

Json norms_document(const Options& options, const NormBench& bench) {
  Json rows = Json::array();
  for (const NormTimes& row : bench.rows) rows.push_back(norm_json(row));
  return {{"bench", "norms"},
          {"schema", kJsonSchema},
          {"build", build_json(build_info())},
          {"complete", bench.complete},
          {"bytes_per_cell", NormTimes().both.bytes},
          {"warm_up_rounds", options.bench.warm_up},
          {"norms", rows}};
}

// What the table comes to, of each norm.
std::vector<std::string> norm_verdicts(const NormBench& bench) {
  std::map<std::string, std::vector<double>> ratios;  // of the shapes
  for (const NormTimes& row : bench.rows)
    if (!row.both.own_ms.empty() && !row.both.torch_ms.empty())
      ratios[row.norm].push_back(ratio_interval(row.both.torch_ms, row.both.own_ms).median);
  std::vector<std::string> verdicts;
  for (const auto& [norm, of] : ratios) {
    const auto [least, most] = std::ranges::minmax(of);
    verdicts.push_back(
        tr("{}, forward and backward: LibTorch takes {:.2f} to {:.2f} times as long, {:.2f} in "
           "the middle of {} shapes.",
           norm, least, most, median(of), of.size()));
  }
  return verdicts;
}

void show_norms(const Options& options, const NormBench& bench, std::ostream& out) {
  const auto width = static_cast<size_t>(summary_width(options));
  const auto paragraph = [&](const std::string& text) { out << wrap(text, width, 0) << '\n'; };
  paragraph(tr("bench norms: forward and backward in fp32, one thread, {} rounds in turns, {}",
               bench.rows.empty() ? 0 : bench.rows.front().both.own_ms.size(),
               format_duration(bench.seconds)));
  const auto line = [&](auto norm, auto shape, auto pass, auto ns, auto floor, auto torch,
                        auto torchs_floor) {
    out << pad(norm, 6) << pad(shape, 12) << pad(pass, 9) << pad_left(ns, 5) << " " << pad(floor, 21)
        << pad(torch, 21) << torchs_floor << '\n';
  };
  line("norm", "rows x H", "pass", "ns", "of the floor", "LibTorch/ours", "floor");
  for (const NormTimes& row : bench.rows)
    for (const PassTimes* pass : row.passes()) {
      if (pass->own_ms.empty()) continue;
      const bool both = !pass->torch_ms.empty();
      line(row.norm, fmt::format("{} x {}", row.shape.rows, row.shape.width), pass->pass,
           fmt::format("{:.3f}", 1e6 * median(pass->own_ms) / row.cells()),
           to_text(of_the_floor(*pass, pass->own_ms, row)),
           both ? to_text(ratio_interval(pass->torch_ms, pass->own_ms)) : "-",
           both ? fmt::format("{:.2f}", of_the_floor(*pass, pass->torch_ms, row).median) : "-");
    }
  for (const std::string& verdict : norm_verdicts(bench)) paragraph(verdict);
  paragraph(tr(
      "Nanoseconds are of a cell. The floor is the time that the triad takes for as many bytes, with plain "
      "or streaming stores, whichever is faster: 8 forward (x, y), 12 backward (x, dy, dx). LibTorch/ours "
      "is LibTorch's time over ours; the column beside it is LibTorch's time over the floor: where memory "
      "is the limit, nothing is faster than LibTorch by more than that. Both sides have their outputs from "
      "one allocator, which reuses freed memory. LibTorch's layer norm is its fused kernel; its RMS norm "
      "is the operations of Hugging Face's models. Ratios are medians over the rounds, with their "
      "interval."));
  const BuildInfo build = build_info();
  paragraph(tr("LibTorch {}, {}, commit {}, {}", build.libtorch.value_or("none"), build.cpu, build.commit,
               build.compiler));
  if (!bench.complete) out << tr("INCOMPLETE: interrupted; the figures cover the rounds until then") << '\n';
}

}  // namespace

ExitCode bench_norms(const Options& options, std::ostream& out) {
  const NormBench bench = measure_norms(options);
  if (options.json)
    write_json(norms_document(options, bench), out);
  else
    show_norms(options, bench, out);
  return bench.complete ? ExitCode::kOk : ExitCode::kInterrupted;
}

}  // namespace ringside
