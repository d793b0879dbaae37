// What the run records.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::norms {

// Sections. The three trainings see the same samples in the same order.
inline constexpr char kCells[] = "one number changed", kTimes[] = "times", kOne[] = "one process",
                      kOwn[] = "batch norm, each rank's own", kShared[] = "batch norm, shared statistics";
inline constexpr char kChanged[] = "changed";  // attribute of kCells
// The others hold points of curves: name of a line, x, y.
inline constexpr char kPaths[] = "distance from one process",  // a training; step, part of one process's way
    kPadding[] = "more padding",                    // a norm; positions, change of real tokens' outputs
    kMasked[] = "more padding, with a mask",        //
    kPositions[] = "position by position",          // a set; position, distance from no padding
    kMaskedPositions[] = "positions, with a mask",  //
    kGap[] = "train against evaluate",              // kEvaluated or kOthers; samples, how far outputs move
    kRunning[] = "the same batch again",            // running variance; batches, part of its start
    kDescent[] = "features of different scales",    // least squares behind a norm; step, loss of the first
    kSquares[] = "Hessian of least squares",        // the same; from the largest, eigenvalue
    kCurvature[] = "the classifier's Hessian",      // the classifier behind a norm; likewise
    kFall[] = "the classifier's loss",              // the same; step, loss
    kScale[] = "a weight before a norm",            // ScaleRow
    kTurns[] = "weight decay before a norm",        // rate and decay; step of SGD, degrees
    kLengths[] = "lengths of that weight",          // the same; step, of the first
    kDepth[] = "before and behind the sub-layer";   // a place; layer, norm of the gradient
inline constexpr char kRaw[] = "no norm", kByBatch[] = "batch norm", kByLayer[] = "layer norm",
                      kByRms[] = "RMS norm", kAlike[] = "batch norm, two features alike",
                      kLayerStep[] = "a step with layer norm", kRmsStep[] = "a step with RMS norm";
inline constexpr char kOverTokens[] = "batch norm, over all tokens",
                      kByPosition[] = "batch norm, a set per position",
                      kEvaluated[] = "training against evaluation", kOthers[] = "a sample among other ones";
inline constexpr char kMean[] = "mean", kVariance[] = "variance";
inline constexpr char kPre[] = "norms before the sub-layers", kPost[] = "norms behind them";

struct ScaleRow {  // a weight before a norm, times so much
  static constexpr Columns kTable{"scaled weight", "times", "gradient", "output"};
  double times = 0, gradient = 0, output = 0;  // the gradient, times; the output moves by
};
struct CellRow {  // where an output moved
  static constexpr Columns kTable{"cells", "norm", "changed", "cell", "moved"};
  std::string norm;     // of the block
  int64_t changed = 0;  // the input that was changed, counted by sample, token and feature
  int64_t cell = 0;     // the output that moved, counted likewise
  double moved = 0;     // how far the output moved
};

struct HashRow {  // of what a rank holds after a step
  static constexpr Columns kTable{"hashes", "rank", "step", "parameters", "buffers"};
  int64_t rank = 0;        // who
  int64_t step = 0;        // from 0
  std::string parameters;  // SHA-256, 8 digits
  std::string buffers;     // of the running statistics, likewise
  const std::string& of(bool the_buffers) const { return the_buffers ? buffers : parameters; }
};

}  // namespace ringside::lessons::norms
