// What the source says of the context window against what was measured.
#include "embedded.h"
#include "parts.h"
#include "ringside/base/least_squares.h"

namespace ringside::lessons::context {
namespace {

using namespace figure;

std::vector<AttentionRow> rows_of(const Trace& trace, const char* way) {
  return needed(rows_where<AttentionRow>(trace, having(&AttentionRow::way, way)));
}

// p of y = c T^p, over the upper half of the lengths.
template <typename Y>
double exponent(const std::vector<AttentionRow>& rows, Y AttentionRow::*y) {
  if (rows.size() < 3) throw NotRun();
  std::vector<std::pair<double, double>> points;
  for (size_t i = rows.size() / 2 - 1; i < rows.size(); ++i)
    points.emplace_back(double(rows[i].T), double(rows[i].*y));
  return fit_exponent(points);
}

double tiles_kib(const Trace& trace) { return double(rows_of(trace, kTiles).back().bytes) / 1024; }

int what_grows(const Trace& trace) {  // of the options
  const auto rows = rows_of(trace, kTiles);
  const bool bytes = exponent(rows, &AttentionRow::bytes) > 1.5,
             time = exponent(rows, &AttentionRow::ms) > 1.5;
  return bytes ? (time ? 0 : 1) : time ? 2 : 3;
}

ClaimResult quadratic(const Trace& trace) {
  const auto scores = rows_of(trace, kScores), tiles = rows_of(trace, kTiles);
  const double bytes = exponent(tiles, &AttentionRow::bytes), time = exponent(tiles, &AttentionRow::ms);
  return {both(bytes > 1.5, time > 1.5),
          tr("exact attention by tiles: bytes like T^{:.2f}, time like T^{:.2f}; with scores in memory "
             "T^{:.2f} and "
             "T^{:.2f}",
             bytes, time, exponent(scores, &AttentionRow::bytes), exponent(scores, &AttentionRow::ms))};
}

ClaimResult approximates(const Trace& trace) {
  double largest = 0;
  for (const AttentionRow& row : rows_of(trace, kTiles)) largest = std::max(largest, row.difference);
  return holds_if(largest > 1e-4,
                  tr("values and gradients differ by at most {:.1e} of the largest: rounding", largest));
}

ClaimResult window_is_linear(const Trace& trace) {
  const auto rows = rows_of(trace, kWindow);
  const double bytes = exponent(rows, &AttentionRow::bytes), time = exponent(rows, &AttentionRow::ms);
  return {both(bytes < 1.3, time < 1.3),
          tr("bytes like T^{:.2f}, time like T^{:.2f}; but its values differ by {:.0f} % "
             "of the largest: it sees less",
             bytes, time, 100 * rows.back().difference)};
}

// From which T on the scores are the largest part; 0: in none.
int64_t scores_lead_at(const Trace& trace) {
  for (const LayerRow& row : needed(rows_in<LayerRow>(trace)))
    if (row.scores > row.mlp && row.scores > row.rest) return row.T;
  return 0;
}
ClaimResult scores_dominate(const Trace& trace) {
  const int64_t T = scores_lead_at(trace);
  const auto rows = rows_in<LayerRow>(trace);
  return {
      both(T == rows.front().T, T > 0),
      T == 0
          ? tr("up to T = {} the MLP keeps more", rows.back().T)
          : tr("from T = {} on the scores are the largest part of what a layer keeps; below that the MLP is",
               T)};
}

ClaimResult cache_grows(const Trace& trace) {
  const auto rows = needed(rows_in<CacheRow>(trace));
  const auto least = std::ranges::min_element(rows, {}, &CacheRow::users);
  const auto saving = std::ranges::max_element(
      rows, {}, [](const CacheRow& row) { return double(row.with_all) / double(row.bytes); });
  return holds_if(
      double(saving->with_all) / double(saving->bytes) > 2,
      tr("{}: {} of keys and values a token with {} key heads, {} with all {}; {} has room for {} users",
         saving->model, format_bytes(double(saving->bytes)), saving->kv_heads,
         format_bytes(double(saving->with_all)), saving->heads, least->model, least->users));
}

// Of the questions for one fact: the last one that reads less than all passages.
ClaimResult retrieval_helps(const Trace& trace) {
  const auto one = needed(rows_where<RetrievalRow>(trace, having(&RetrievalRow::asks, kOneFact)));
  const auto all = needed(rows_where<RetrievalRow>(trace, having(&RetrievalRow::asks, kAllFacts)));
  const RetrievalRow &chosen = one[one.size() - std::min<size_t>(2, one.size())], &every = one.back();
  const double read = double(chosen.tokens) / double(every.tokens);
  return {both(chosen.found > 60 && read<0.1, all[0].found> 60),
          tr("{:.0f} % of single facts are in the {} of {} passages that BM25 chooses, {:.1f} % of all "
             "tokens; a question about all facts finds {:.0f} % of them in {} passages",
             chosen.found, chosen.passages, every.passages, 100 * read, all[0].found, all[0].passages)};
}

LengthRow length(const Trace& trace, const char* line) {
  return needed(row_where<LengthRow>(trace, having(&LengthRow::line, line)));
}
constexpr double kWorse = 0.1;  // nats

int who_reads_on(const Trace& trace) {  // of the options
  constexpr std::array kOptions{kRotary, kInterpolated, kNearest, kLearned};
  const auto far = [&](const char* line) { return length(trace, line).far; };
  return int(std::ranges::min_element(kOptions, {}, far) - kOptions.begin());
}

ClaimResult reads_longer(const Trace& trace) {
  const LengthRow rotary = length(trace, kRotary), learned = length(trace, kLearned),
                  window = length(trace, kNearest);
  return holds_if(
      rotary.far < rotary.near + kWorse,
      tr("trained on 64 bytes: {:.2f} nats near byte 64, {:.2f} from byte 256 on; learned positions "
         "{:.2f} and {:.2f}; rotary ones with a window of 64 {:.2f} and {:.2f}",
         rotary.near, rotary.far, learned.near, learned.far, window.near, window.far));
}

ClaimResult interpolates(const Trace& trace) {
  const LengthRow rotary = length(trace, kRotary), scaled = length(trace, kInterpolated),
                  further = length(trace, kFurther);
  return {
      both(further.far < rotary.far - kWorse, further.near < rotary.near + kWorse),
      tr("from byte 256 on {:.2f} nats as it was, {:.2f} with positions scaled down, {:.2f} after further "
         "training; near byte 64 {:.2f}, {:.2f} and {:.2f}",
         rotary.far, scaled.far, further.far, rotary.near, scaled.near, further.near)};
}

ClaimResult first_tokens(const Trace& trace) {
  const FirstTokenRow first = needed(rows_in<FirstTokenRow>(trace)).back();
  const double without = length(trace, kNearest).far, with = length(trace, kSinks).far;
  if (first.share < 3 * first.even)
    return not_testable(tr(
        "this small model pays its first token {:.1f} % of the attention at most, an even share is {:.1f} %: "
        "there is no sink to lose; {:.2f} nats with the first four tokens kept, {:.2f} without",
        first.share, first.even, with, without));
  return holds_if(with < without - kWorse,
                  tr("{:.2f} nats with the first four tokens kept, {:.2f} without", with, without));
}

FigureValue growth(const std::vector<const char*>& ways, const char* what, Axis y) {
  std::vector<std::string> names;
  for (const char* way : ways) names.push_back(fmt::format("{}, {}", way, what));
  return figure_of_curves(kAttention, {tr("tokens T"), "", true}, std::move(y), names);
}

std::string bytes_sentence(const FigureInput& input) {
  const AttentionRow scores = rows_of(input.trace, kScores).back(),
                     tiles = rows_of(input.trace, kTiles).back();
  return tr(
      "T = {}: {} with scores in memory, {} by tiles, the same values to {:.0e}. The window needs what tiles "
      "need.",
      scores.T, format_bytes(double(scores.bytes)), format_bytes(double(tiles.bytes)), tiles.difference);
}

Value caches(const FigureInput& input) {
  Table table{
      columns({"model", "heads []", "key heads []", "a token [bytes]", "with all heads [bytes]", "users []"}),
      {}};
  for (const CacheRow& row : rows_in<CacheRow>(input.trace))
    table.rows.push_back(cells(row.model, row.heads, row.kv_heads, row.bytes, row.with_all, row.users));
  return table;
}

Value beyond(const FigureInput& input) {
  Lines lines = lines_of(input.trace.find(kBeyond), {tr("byte of the text")}, {tr("loss"), "nats"},
                         {kLearned, kRotary, kInterpolated, kFurther, kNearest});
  lines.marks.push_back({tr("trained to here"), double(kTrainedLength)});
  return lines;
}

std::string beyond_sentence(const FigureInput& input) {
  const LengthRow rotary = length(input.trace, kRotary), window = length(input.trace, kNearest);
  return tr("Trained on 64 bytes. From byte 256 on rotary positions cost {:.2f} nats, a window of 64 {:.2f}.",
            rotary.far, window.far);
}

Value lengths(const FigureInput& input) {
  Table table{columns({"positions", "near byte 64 [nats]", "from byte 256 on [nats]"}), {}};
  for (const LengthRow& row : rows_in<LengthRow>(input.trace))
    table.rows.push_back(cells(row.line, cell(row.near, 2), cell(row.far, 2)));
  return table;
}
Value retrieval(const FigureInput& input) { return table_of_rows(input.trace, RetrievalRow::kTable); }

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .questions = {{"grows", what_grows}, {"tiles", tiles_kib}, {"beyond", who_reads_on}},
       .claims = {{"quadratic", quadratic},
                  {"approximates", approximates},
                  {"window", window_is_linear},
                  {"scores", scores_dominate},
                  {"length", reads_longer},
                  {"interpolated", interpolates},
                  {"sinks", first_tokens},
                  {"cache", cache_grows},
                  {"retrieval", retrieval_helps}},
       .figures = {
           {"bytes", growth({kScores, kTiles}, "bytes", {tr("bytes at once"), "bytes", true}),
            bytes_sentence},
           {"times", growth({kScores, kTiles, kWindow}, "ms", {tr("forward and backward"), "ms", true})},
           {"layer",
            figure_of_curves(kLayer, {tr("tokens T"), "", true}, {tr("kept for backward"), "bytes", true},
                             {"scores", "rest of attention", "MLP"})},
           {"beyond", beyond, beyond_sentence},
           {"lengths", lengths},
           {"caches", caches},
           {"retrieval", retrieval}}});
}

}  // namespace ringside::lessons::context
