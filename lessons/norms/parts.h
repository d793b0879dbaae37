// What the lesson measures: which outputs move when one number is changed, what padding and the size of a
// batch do, what data parallelism trains, what a norm costs, and what it does to gradients.
#pragma once

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/rows.h"
#include "ringside/lesson/timings.h"

namespace ringside::norms_lesson {

// Sections. The three trainings see the same samples in the same order.
inline constexpr char kCells[] = "one number changed", kDescent[] = "features of different scales",
                      kPadding[] = "more padding", kGap[] = "train against evaluate",
                      kDepth[] = "before and behind the sub-layer", kScale[] = "a weight before a norm",
                      kTimes[] = "times", kPaths[] = "distance from one process", kOne[] = "one process",
                      kOwn[] = "batch norm, each rank's own", kShared[] = "batch norm, shared statistics";
inline constexpr char kRaw[] = "features as they are", kNormed[] = "features normalised";
inline constexpr char kLayerNorm[] = "layer norm", kRmsNorm[] = "RMS norm",
                      kLayerStep[] = "a step with layer norm", kRmsStep[] = "a step with RMS norm";
inline const std::vector<std::string> kNames = {"layer", "rms", "instance", "group", "batch"};

// The hero's block: B samples of T tokens of H features; the last token of sample 1 is padding.
inline constexpr int64_t kSamples = 2, kTokens = 3, kFeatures = 4, kGroups = 2;
inline constexpr int64_t kChangedToken = 1, kChangedFeature = 1;  // of sample 0

struct CellRow {
  static constexpr char kTable[] = "cells";
  std::string norm;
  int64_t sample = 0, token = 0, feature = 0;
  double moved = 0;
};
void visit_fields(RowOf<CellRow> auto& row, auto&& visit) {
  visit(Field{"norm", "of the block"}, row.norm);
  visit(Field{"sample", "b"}, row.sample);
  visit(Field{"token", "t"}, row.token);
  visit(Field{"feature", "h"}, row.feature);
  visit(Field{"moved", "how far the output moved when one input was changed"}, row.moved);
}

struct PaddingRow {
  static constexpr char kTable[] = "padding";
  std::string norm;
  int64_t added = 0;
  double unmasked = 0, masked = 0;
};
void visit_fields(RowOf<PaddingRow> auto& row, auto&& visit) {
  visit(Field{"norm", "of a batch of mixed lengths"}, row.norm);
  visit(Field{"added", "positions of padding, at each sample's end"}, row.added);
  visit(Field{"unmasked", "change of the real tokens' outputs, relative, padding counted as tokens"},
        row.unmasked);
  visit(Field{"masked", "the same with a token mask"}, row.masked);
}

struct GapRow {
  static constexpr char kTable[] = "gap";
  int64_t batch = 0;
  double gap = 0;
};
void visit_fields(RowOf<GapRow> auto& row, auto&& visit) {
  visit(Field{"batch", "samples of one token"}, row.batch);
  visit(Field{"gap", "training's output against evaluation's, relative"}, row.gap);
}

struct PathRow {  // of a training's parameters after a step
  static constexpr char kTable[] = "paths";
  std::string section;
  int64_t step = 0;
  double distance = 0;
};
void visit_fields(RowOf<PathRow> auto& row, auto&& visit) {
  visit(Field{"section", "the training"}, row.section);
  visit(Field{"step", "from 1"}, row.step);
  visit(Field{"distance", "from one process's parameters, relative to how far these have moved"},
        row.distance);
}

struct DepthRow {
  static constexpr char kTable[] = "depth";
  int64_t layer = 0;
  double pre = 0, post = 0;
};
void visit_fields(RowOf<DepthRow> auto& row, auto&& visit) {
  visit(Field{"layer", "from the input"}, row.layer);
  visit(Field{"pre", "gradient norm of its down_proj, norms before the sub-layers"}, row.pre);
  visit(Field{"post", "the same, norms behind them"}, row.post);
}

struct DescentRow {
  static constexpr char kTable[] = "descent";
  std::string features;
  double condition = 0;
  int64_t step = 0;
  double loss = 0;
};
void visit_fields(RowOf<DescentRow> auto& row, auto&& visit) {
  visit(Field{"features", "as they are, or each normalised over the samples"}, row.features);
  visit(Field{"condition", "largest over smallest eigenvalue of the Hessian"}, row.condition);
  visit(Field{"step", "of gradient descent, with the rate 1 / largest eigenvalue"}, row.step);
  visit(Field{"loss", "relative to the first"}, row.loss);
}

struct ScaleRow {
  static constexpr char kTable[] = "scales";
  double scale = 0, output = 0, gradient = 0;
};
void visit_fields(RowOf<ScaleRow> auto& row, auto&& visit) {
  visit(Field{"scale", "of the weight before the norm"}, row.scale);
  visit(Field{"output", "change of the output, relative"}, row.output);
  visit(Field{"gradient", "its norm, relative to scale 1"}, row.gradient);
}

// Each of a section of its own. run.cpp and layers.cpp.
void record_cells(Recorder& recorder);
void record_descent(Recorder& recorder);
void record_padding(Recorder& recorder);
void record_gap(Recorder& recorder);
void record_scales(Recorder& recorder);
void record_depth(int64_t layers, Recorder& recorder);
void record_times(Recorder& recorder);

std::vector<FigureSpec> figures();
void run(const Config& config, const RunContext& context);

}  // namespace ringside::norms_lesson
