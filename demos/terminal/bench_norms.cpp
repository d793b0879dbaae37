// `ringside bench norms`: forward and backward of layer norm and RMS norm, in turns with LibTorch's and with
// the machine's own triad.
#include <fmt/format.h>

#include <algorithm>

#include "bench_run.h"
#include "memory_passes.h"
#include "norm_passes.h"
#include "ringside/base/median.h"
#include "ringside/base/text.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "table_text.h"

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
struct NormPass {
  std::string name;
  int64_t bytes;                                   // a cell
  std::vector<double> own_ms = {}, torch_ms = {};  // of each round; torch's may be missing
};

struct NormTimes {
  std::string norm;
  NormShape shape;
  int64_t times = 1;  // a turn
  NormPass forward = {"forward", 8}, backward = {"backward", 12}, both = {"both", 20};
  std::vector<double> triad_ms = {};  // of each round: with plain stores or streaming ones, the faster

  double ns_per_cell(const NormPass& pass) const {
    return 1e6 * median(pass.own_ms) / double(times * shape.rows * shape.width);
  }
  // The floor: the time that the triad takes for as many bytes. ms: the pass' own_ms or torch_ms.
  auto of_the_floor(const NormPass& pass, const std::vector<double>& ms) const {
    return ratio_of(ms, triad_ms, double(kTriadBytes) / double(pass.bytes));
  }
};

std::vector<std::string> chosen_norms(const BenchOptions& bench) {
  const std::vector<std::string> all = {"layer", "rms"};
  for (const std::string& name : bench.lines)
    if (std::ranges::find(all, name) == all.end())
      throw UsageError("bench norms: " + no_such("norm", name, all));
  return bench.lines.empty() ? all : bench.lines;
}

// One norm in turns: the engine's passes, the triad over as many cells, LibTorch's passes.
NormTimes timed_norm(BenchRun& run, const std::string& norm, NormShape shape, const Progress& now) {
  NormTimes row{norm, shape, std::max<int64_t>(1, kCellsATurn / (shape.rows * shape.width))};
  const NormPasses torch = torch_norm(norm, shape.rows, shape.width);
  const NormPasses own = own_norm(norm, shape.rows, shape.width);
  Triad triad(shape.rows * shape.width);
  const auto triads = [&](bool streaming) { return [&, streaming] { triad.run(1, streaming); }; };
  const std::vector<std::function<void()>> passes = {
      own.forward, own.backward, triads(false), triads(Triad::can_stream()), torch.forward, torch.backward};
  std::vector<std::function<void()>> sides;
  for (const auto& pass : passes)
    if (pass)
      sides.emplace_back([&row, &pass] {
        for (int64_t i = 0; i < row.times; ++i) pass();
      });
  RoundsMs ms = run.in_turns(sides, kNormRounds, now);
  ms.resize(6);
  const auto each = [](const auto& a, const auto& b, auto of) {
    std::vector<double> all;
    std::ranges::transform(a, b, std::back_inserter(all), of);
    return all;
  };
  row.triad_ms =
      each(ms[2], ms[3], [](double plain, double streaming) { return std::min(plain, streaming); });
  row.forward.own_ms = ms[0], row.backward.own_ms = ms[1], row.both.own_ms = each(ms[0], ms[1], std::plus());
  row.forward.torch_ms = ms[4], row.backward.torch_ms = ms[5];
  row.both.torch_ms = each(ms[4], ms[5], std::plus());
  return row;
}

Json norm_pass_json(const NormPass& pass, const NormTimes& row) {
  return {{"ns_per_cell", pass.own_ms.empty() ? Json() : Json(row.ns_per_cell(pass))},
          {"of_the_floor", ratio_json(row.of_the_floor(pass, pass.own_ms))},
          {"torch_takes", ratio_json(ratio_of(pass.torch_ms, pass.own_ms))},
          {"torch_of_the_floor", ratio_json(row.of_the_floor(pass, pass.torch_ms))},
          {"round_ms", pass.own_ms},
          {"torch_ms", pass.torch_ms}};
}

// What stands beside "passes" is of forward and backward together.
Json norm_json(const NormTimes& row) {
  Json json = {
      {"norm", row.norm}, {"rows", row.shape.rows}, {"width", row.shape.width}, {"times", row.times}};
  json.update(norm_pass_json(row.both, row));
  json["triad_ms"] = row.triad_ms;
  for (const NormPass* pass : {&row.forward, &row.backward}) {
    Json of_pass = {{"pass", pass->name}, {"bytes_per_cell", pass->bytes}};
    of_pass.update(norm_pass_json(*pass, row));
    json["passes"].push_back(std::move(of_pass));
  }
  return json;
}

std::string norm_table(const std::string& norm, const std::vector<NormTimes>& rows, size_t width) {
  std::vector<std::vector<std::string>> lines;
  for (const NormTimes& row : rows)
    for (const NormPass* pass : {&row.forward, &row.backward, &row.both}) {
      if (row.norm != norm || pass->own_ms.empty()) continue;
      const auto floor = row.of_the_floor(*pass, pass->torch_ms);
      lines.push_back({row.norm, fmt::format("{} x {}", row.shape.rows, row.shape.width), pass->name,
                       fmt::format("{:.3f}", row.ns_per_cell(*pass)),
                       ratio_text(row.of_the_floor(*pass, pass->own_ms)),
                       ratio_text(ratio_of(pass->torch_ms, pass->own_ms)),
                       floor ? fmt::format("{:.2f}", floor->median) : "-"});
    }
  return table_text({"norm", "rows x H", "pass", " ns", "of the floor", "LibTorch/ours", " floor"}, lines,
                    int(width));
}

// What the table comes to; "" without LibTorch.
std::string norm_verdict(const std::string& norm, const std::vector<NormTimes>& rows) {
  std::vector<double> ratios;  // of the shapes
  for (const NormTimes& row : rows)
    if (const auto ratio = ratio_of(row.both.torch_ms, row.both.own_ms); ratio && row.norm == norm)
      ratios.push_back(ratio->median);
  if (ratios.empty()) return "";
  const auto [least, most] = std::ranges::minmax(ratios);
  return tr(
      "{}, forward and backward: LibTorch takes {:.2f} to {:.2f} times as long, {:.2f} in the middle of {} "
      "shapes.",
      norm, least, most, median(ratios), ratios.size());
}

}  // namespace

BenchResult bench_norms(BenchRun& run) {
  const std::vector<std::string> norms = chosen_norms(run.wanted);
  std::vector<NormTimes> rows;
  for (const std::string& norm : norms)
    for (const NormShape& shape : kShapes)
      if (!run.stop())
        rows.push_back(
            timed_norm(run, norm, shape, {norm, std::ssize(rows), std::ssize(norms) * std::ssize(kShapes)}));
  BenchResult result;
  result.what = tr("forward and backward in fp32, one thread, {} rounds in turns",
                   rows.empty() ? 0 : rows.front().both.own_ms.size());
  result.fields = {{"bytes_per_cell", NormTimes().both.bytes},
                   {"warm_up_rounds", run.wanted.warm_up},
                   {"norms", array_of(rows, norm_json)}};
  for (const std::string& norm : norms) {
    result.text += norm_table(norm, rows, run.width);
    if (const std::string verdict = norm_verdict(norm, rows); !verdict.empty())
      result.text += wrap(verdict, run.width, 0) + '\n';
  }
  const std::string legend = tr(
      "Nanoseconds are of a cell. The floor is the time that the triad takes for as many bytes, with plain "
      "or streaming stores, whichever is faster: 8 forward (x, y), 12 backward (x, dy, dx). LibTorch/ours is "
      "LibTorch's time over ours; the column beside it is LibTorch's time over the floor: where memory is "
      "the limit, nothing is faster than LibTorch by more than that. Both sides have their outputs from one "
      "allocator, which reuses freed memory. LibTorch's layer norm is its fused kernel; its RMS norm is the "
      "operations of Hugging Face's models. Ratios are medians over the rounds, with their interval.");
  result.text += wrap(legend, run.width, 0) + '\n';
  return result;
}

}  // namespace ringside
