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
  return fit_exponent(std::span(all).subspan(all.size() / 2 - 1));
}

int what_grows(const Trace& trace) {  // of the options
  const bool bytes = exponent(trace, kTiles, kBytes) > 1.5, time = exponent(trace, kTiles, kMs) > 1.5;
  return bytes ? (time ? 0 : 1) : time ? 2 : 3;
}

ClaimResult quadratic(const Trace& trace) {
  const double bytes = exponent(trace, kTiles, kBytes), time = exponent(trace, kTiles, kMs);
  return judged(both(bytes > 1.5, time > 1.5), bytes, time, exponent(trace, kScores, kBytes),
                exponent(trace, kScores, kMs));
}

ClaimResult window_is_linear(const Trace& trace) {
  const double bytes = exponent(trace, kWindow, kBytes), time = exponent(trace, kWindow, kMs);
  const double difference = measured(trace, kWindow, kDifference).back().y;
  if (difference < 1e-4)
    return not_testable(tr("the window is as long as the longest text: it hides nothing"));
  return judged(both(bytes < 1.3, time < 1.3), bytes, time, 100 * difference);
}

ClaimResult scores_dominate(const Trace& trace) {  // from which T on they are the largest part
  const auto scores = needed(curve(trace, kLayer, kKeptScores)), rest = curve(trace, kLayer, kKeptRest),
             mlp = needed(curve(trace, kLayer, kKeptMlp));
  size_t at = 0;
  while (at < mlp.size() && scores[at].y <= std::max(rest[at].y, mlp[at].y)) ++at;
  if (at == mlp.size()) return holds_if(false, tr("up to T = {:.0f} the MLP keeps more", mlp.back().x));
  return judged(both(at == 0, true), mlp[at].x);
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .questions = {{"grows", what_grows}},
       .claims = {{"quadratic", quadratic}, {"window", window_is_linear}, {"scores", scores_dominate}}});
}

}  // namespace ringside::lessons::context
