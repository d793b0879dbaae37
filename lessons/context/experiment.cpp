// What the source says of the context window against what was measured.
#include "embedded.h"
#include "parts.h"
#include "ringside/base/least_squares.h"

namespace ringside::lessons::context {
namespace {

using namespace figure;

std::vector<Point> measured(const Trace& trace, const char* way, const char* what) {
  return needed(curve(trace, kAttention, line_of(way, what)));
}

// p of y = c T^p, over the upper half of the lengths.
double exponent(const Trace& trace, const char* way, const char* what) {
  const std::vector<Point> all = measured(trace, way, what);
  if (all.size() < 3) throw NotRun();
  std::vector<std::pair<double, double>> points;
  for (size_t i = all.size() / 2 - 1; i < all.size(); ++i) points.emplace_back(all[i].x, all[i].y);
  return fit_exponent(points);
}

double tiles_kib(const Trace& trace) { return measured(trace, kTiles, kBytes).back().y / 1024; }

int what_grows(const Trace& trace) {  // of the options
  const bool bytes = exponent(trace, kTiles, kBytes) > 1.5, time = exponent(trace, kTiles, kMs) > 1.5;
  return bytes ? (time ? 0 : 1) : time ? 2 : 3;
}

ClaimResult quadratic(const Trace& trace) {
  const double bytes = exponent(trace, kTiles, kBytes), time = exponent(trace, kTiles, kMs);
  return {both(bytes > 1.5, time > 1.5),
          tr("exact attention by tiles: bytes like T^{:.2f}, time like T^{:.2f}; with scores in memory "
             "T^{:.2f} and T^{:.2f}",
             bytes, time, exponent(trace, kScores, kBytes), exponent(trace, kScores, kMs))};
}

ClaimResult approximates(const Trace& trace) {
  const double largest = std::ranges::max(measured(trace, kTiles, kDifference), {}, &Point::y).y;
  return holds_if(largest > 1e-4,
                  tr("values and gradients differ by at most {:.1e} of the largest: rounding", largest));
}

ClaimResult window_is_linear(const Trace& trace) {
  const double bytes = exponent(trace, kWindow, kBytes), time = exponent(trace, kWindow, kMs);
  return {both(bytes < 1.3, time < 1.3),
          tr("bytes like T^{:.2f}, time like T^{:.2f}; but its values differ by {:.0f} % of the largest: it "
             "sees less",
             bytes, time, 100 * measured(trace, kWindow, kDifference).back().y)};
}

// From which T on the scores are the largest part.
ClaimResult scores_dominate(const Trace& trace) {
  const auto scores = needed(curve(trace, kLayer, kKeptScores)), rest = curve(trace, kLayer, kKeptRest),
             mlp = needed(curve(trace, kLayer, kKeptMlp));
  size_t at = 0;
  while (at < mlp.size() && scores[at].y <= std::max(rest[at].y, mlp[at].y)) ++at;
  if (at == mlp.size()) return holds_if(false, tr("up to T = {:.0f} the MLP keeps more", mlp.back().x));
  return {
      both(at == 0, true),
      tr("from T = {:.0f} on the scores are the largest part of what a layer keeps; below that the MLP is",
         mlp[at].x)};
}

ClaimResult cache_grows(const Trace& trace) {
  const auto rows = needed(rows_in<CacheRow>(trace));
  const CacheRow least = std::ranges::min(rows, {}, &CacheRow::users),
                 most = std::ranges::max(rows, {}, &CacheRow::saving);
  return holds_if(
      most.saving() > 2,
      tr("{}: {} of keys and values a token with {} key heads, {} with all {}; {} has room for {} users",
         most.model, format_bytes(double(most.bytes)), most.kv_heads, format_bytes(double(most.with_all)),
         most.heads, least.model, least.users));
}

// Of the questions for one fact: the last one that reads less than all passages.
ClaimResult retrieval_helps(const Trace& trace) {
  const auto one = needed(rows_where<RetrievalRow>(trace, having(&RetrievalRow::asks, kOneFact)));
  const RetrievalRow &chosen = one[one.size() - std::min<size_t>(2, one.size())], &every = one.back(),
                     all = row_of<RetrievalRow>(trace, kAllFacts);
  const double read = double(chosen.tokens) / double(every.tokens);
  return {both(chosen.found > 60 && read<0.1, all.found> 60),
          tr("{:.0f} % of single facts are in the {} of {} passages that BM25 chooses, {:.1f} % of all "
             "tokens; a question about all facts finds {:.0f} % of them in {} passages",
             chosen.found, chosen.passages, every.passages, 100 * read, all.found, all.passages)};
}

LengthRow length(const Trace& trace, const char* line) { return row_of<LengthRow>(trace, line); }
constexpr double kWorse = 0.1;  // nats

int who_reads_on(const Trace& trace) {  // of the options
  constexpr std::array kOptions{kRotary, kInterpolated, kNearest, kLearned};
  const auto far = [&](const char* line) { return length(trace, line).far; };
  return int(std::ranges::min_element(kOptions, {}, far) - kOptions.begin());
}

ClaimResult reads_longer(const Trace& trace) {
  const LengthRow rotary = length(trace, kRotary), learned = length(trace, kLearned),
                  window = length(trace, kNearest);
  return holds_if(rotary.far < rotary.near + kWorse,
                  tr("trained on 64 bytes: {:.2f} nats near byte 64, {:.2f} from byte 256 on; learned "
                     "positions {:.2f} and {:.2f}; rotary ones with a window of 64 {:.2f} and {:.2f}",
                     rotary.near, rotary.far, learned.near, learned.far, window.near, window.far));
}

ClaimResult interpolates(const Trace& trace) {
  const LengthRow rotary = length(trace, kRotary), scaled = length(trace, kInterpolated),
                  further = length(trace, kFurther);
  return {both(further.far < rotary.far - kWorse, further.near < rotary.near + kWorse),
          tr("from byte 256 on {:.2f} nats as it was, {:.2f} with positions scaled down, {:.2f} after "
             "further training; near byte 64 {:.2f}, {:.2f} and {:.2f}",
             rotary.far, scaled.far, further.far, rotary.near, scaled.near, further.near)};
}

ClaimResult first_tokens(const Trace& trace) {
  const FirstTokenRow first = needed(last_row<FirstTokenRow>(trace.find(kBeyond)));
  const double without = length(trace, kNearest).far, with = length(trace, kSinks).far;
  if (first.share < 3 * first.even)
    return not_testable(
        tr("this small model pays its first token {:.1f} % of the attention at most, an even share is {:.1f} "
           "%: there is no sink to lose; {:.2f} nats with the first four tokens kept, {:.2f} without",
           first.share, first.even, with, without));
  return holds_if(with < without - kWorse,
                  tr("{:.2f} nats with the first four tokens kept, {:.2f} without", with, without));
}

std::string bytes_sentence(const FigureInput& input) {
  const Point scores = measured(input.trace, kScores, kBytes).back(),
              tiles = measured(input.trace, kTiles, kBytes).back();
  return tr(
      "T = {:.0f}: {} with scores in memory, {} by tiles, the same values to {:.0e}. The window needs what "
      "tiles need.",
      scores.x, format_bytes(scores.y), format_bytes(tiles.y),
      measured(input.trace, kTiles, kDifference).back().y);
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

std::vector<TableCell> lengths(const LengthRow& row) { return cells(row.line, row.near, row.far); }
std::vector<TableCell> caches(const CacheRow& row) {
  return cells(row.model, row.heads, row.kv_heads, row.bytes, row.with_all, row.users);
}

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
       .figures = {{"bytes", {}, bytes_sentence},
                   {"beyond", beyond, beyond_sentence},
                   {"lengths",
                    table_of_each(lengths, {"positions", "near byte 64 [nats]", "from byte 256 on [nats]"})},
                   {"caches", table_of_each(caches, {"model", "heads []", "key heads []", "a token [bytes]",
                                                     "with all heads [bytes]", "users []"})}}});
}

}  // namespace ringside::lessons::context
