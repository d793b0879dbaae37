// The lesson about norms: what it measures, and verdicts that follow from the trace alone.
#include "norms/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::norms {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("norms", make_lesson());

struct Doctored {
  double unmasked = 0.8, masked = 0, late = 0.5, late_channel = 4, gap_at_two = 1, left = 0.35, own = 0.4,
         shared = 1e-7;
  double output = 1e-6, turn = 11.5, swing = 5, first_post = 1, last_post = 4;
  int64_t layer_moves = 7;  // a feature of the changed number's token, or a cell elsewhere
  double condition = 4000, behind_rms = 900, slow = 90, behind_layer = 50;
  std::string hash_of_one = "b", hash_of_rank = "a";
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create("norms");
  std::map<std::string, Recorder*> pens;
  const auto pen = [&](const char* section) -> Recorder& {
    Recorder*& one = pens[section];
    if (one == nullptr) one = store->add_section(section, {}, 1).front();
    return *one;
  };
  const auto record = [&](const char* section, const std::string& line,
                          const std::vector<figure::Point>& points) {
    for (const figure::Point& point : points) record_point(pen(section), line, point.x, point.y);
  };
  record(kPadding, "batch", {{8, of.unmasked}});
  record(kMasked, "batch", {{8, of.masked}});
  for (int t = 0; t < 8; ++t) {
    record(kPositions, kOverTokens, {{double(t), t < 4 ? 0.5 : of.late}});
    record(kPositions, kByPosition, {{double(t), t < 4 ? 0.5 : of.late_channel}});
  }
  record(kGap, kEvaluated, {{2, of.gap_at_two}, {64, 0.03}});
  record(kRunning, kVariance, {{10, of.left}});
  record(kPaths, kOwn, {{1, of.own}, {2, of.own}});
  record(kPaths, kShared, {{1, of.shared}, {2, of.shared}});
  record_row(pen(kScale), ScaleRow{0.5, 2, of.output});
  for (const auto& [rate, decay] : kRates)  // one step's turn says little: the mean of the last is judged
    record(kTurns, name_of(rate, decay), {{299, of.turn - of.swing}, {300, of.turn + of.swing}});
  for (const int64_t cell : {int64_t{4}, int64_t{5}, int64_t{6}, of.layer_moves})
    record_row(pen(kCells), CellRow{"layer", 5, cell, 1});
  store->set_attributes(kCells, {{kChanged, int64_t{5}}});
  record(kDepth, kPre, {{0, 1}, {1, 1}});
  record(kDepth, kPost, {{0, of.first_post}, {1, of.last_post}});
  record(kSquares, kRaw, {{1, of.condition}, {4, 1}});
  record(kSquares, kByBatch, {{1, 1.5}, {4, 1}});
  record(kSquares, kByRms, {{1, of.behind_rms}, {4, 1}});
  record(kFall, kRaw, {{of.slow, 0.05}});
  record(kFall, kByBatch, {{10, 0.05}});
  record(kFall, kByLayer, {{of.behind_layer, 0.05}});
  record_row(pen(kOne), HashRow{0, 0, of.hash_of_one, "s"});
  record_row(pen(kOwn), HashRow{0, 0, "a", "s"});
  record_row(pen(kOwn), HashRow{1, 0, of.hash_of_rank, "t"});
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

const std::vector<std::string> kSmall = {"ranks=2", "steps=3", "layers=4"};
const Trace& small_run() {
  static const Trace trace = run_lesson(kLesson, kSmall);
  return trace;
}

TEST_CASE("norms: a run answers every question as its formula does, and its ledger adds up") {
  const Trace& trace = small_run();
  CHECK(kLesson.failed_check(trace) == "");
  check_answers(kLesson, kSmall, trace);
  for (const char* claim : {"axis", "shared", "turns"})
    CHECK(verdict_alone(kLesson, claim, trace) == "holds");
  for (const char* claim : {"any_norm", "running", "one_model", "hashes", "decay"})
    CHECK(verdict_alone(kLesson, claim, trace) == "fails");
  const ClaimResult step = judge_alone(kLesson, "step", trace);  // of other hardware: told, not judged
  CHECK((step.verdict == Verdict::kNotTestable && step.evidence.find("on this CPU") != std::string::npos));
  for (const char* claim : {"padding", "late", "sample", "alone"})
    CHECK(verdict_alone(kLesson, claim, trace) == "partly");
  CHECK(steepness_of(trace, kByBatch) <
        2);  // independent features; two that are alike keep (1 + r) / (1 - r)
  CHECK(steepness_of(trace, kAlike) == Approx((1 + kAlikeness) / (1 - kAlikeness)).epsilon(0.3));
  check_shown(kLesson, trace);
}

TEST_CASE("norms: cells of one set light up together; each rank's own statistics differ") {
  const auto boxes = std::get<figure::Boxes>(figure_value(kLesson, "cells", small_run()));
  const auto lit = [&](const figure::Box& by) {  // how many in each norm's block
    std::map<std::string, int> sizes;
    for (const figure::BoxRow& one : boxes.rows)
      for (const figure::Box& box : one.boxes)
        if (std::ranges::count(by.lights, box.group) > 0) ++sizes[box.group.substr(0, box.group.find(' '))];
    return sizes;
  };
  const std::vector<figure::Box>& row = boxes.rows[2].boxes;  // sample 0, token 1
  CHECK(row[1].lights == row[6].lights);
  CHECK(lit(row[1]) ==
        std::map<std::string, int>{{"layer", 4}, {"rms", 4}, {"instance", 3}, {"group", 6}, {"batch", 5}});
  CHECK(lit(boxes.rows[6].boxes[1]) == std::map<std::string, int>{{"layer", 4}, {"rms", 4}});
  for (const char* section : {kOwn, kShared}) {
    const auto mine = curve(small_run(), section, seen_by(0, kMean)),
               other = curve(small_run(), section, seen_by(1, kMean));
    REQUIRE(mine.size() == 3);
    REQUIRE(other.size() == 3);
    for (size_t i = 0; i < 3; ++i) CHECK((mine[i].y == other[i].y) == (section == kShared));
  }
  const double batch = first_of(small_run(), kOwn, seen_by(0, kVariance));
  CHECK(batch > 0);
  CHECK(first_of(small_run(), kOwn, kept_by(0, kVariance)) == Approx(0.9 + 0.1 * batch));
}

TEST_CASE("norms: late positions are far off where a set does not span them; how a cell is written") {
  const auto store = TraceStore::create("norms");
  record_padding(
      [&](const char* section) -> Recorder& { return *store->add_section(section, {}, 1).front(); });
  const Trace trace = store->snapshot();
  CHECK(first_of(trace, kPositions, kByPosition) == 0);
  CHECK(last_of(trace, kPositions, kByPosition) > 1);
  CHECK(most_of(trace, kPositions, kByLayer) < 1e-6);
  for (const char* sets : {kOverTokens, kByPosition, kByLayer})
    CHECK(most_of(trace, kMaskedPositions, sets) < 1e-5);
  CHECK(cell_of_text("1,1,3").index() == 19);
  for (const char* text : {"", "0,1", "2,0,0", "0,3,0", "0,0,4", "0 1 1", "1,2,0", "0,1,1,", "-,0,0"}) {
    INFO(text);
    CHECK_THROWS_AS(cell_of_text(text), UsageError);
  }
}

TEST_CASE("norms: verdicts follow from the trace") {
  CHECK(
      verdicts_of(kLesson, doctored_trace({})) ==
      "axis holds, any_norm fails, sample partly, padding partly, late partly, alone partly, running fails, "
      "one_model fails, hashes fails, shared holds, decay fails, turns holds, depth holds, rms "
      "not_testable, step not_testable");
  CHECK(verdict("axis", {.slow = 15}) == "partly");
  CHECK(verdict("axis", {.condition = 2}) == "partly");
  CHECK(verdict("axis", {.condition = 2, .slow = 15}) == "fails");
  CHECK(verdict("any_norm", {.behind_layer = 12}) == "partly");
  CHECK(verdict("any_norm", {.behind_rms = 2, .behind_layer = 12}) == "holds");
  CHECK(verdict("padding", {.unmasked = 0}) == "fails");
  CHECK(verdict("padding", {.masked = 0.2}) == "holds");
  CHECK(verdict("late", {.late = 1}) == "holds");
  CHECK(verdict("late", {.late_channel = 0.5}) == "fails");
  CHECK(verdict("sample", {.layer_moves = 8}) == "holds");
  CHECK(verdict("sample", {.layer_moves = 20}) == "fails");
  CHECK(verdict("alone", {.gap_at_two = 0.01}) == "holds");
  CHECK(verdict("running", {.left = 0}) == "holds");
  CHECK(verdict("one_model", {.own = 1e-7}) == "holds");
  CHECK(verdict("hashes", {.hash_of_one = "a"}) == "holds");
  CHECK(verdict("hashes", {.hash_of_rank = "c"}) == "not_testable");
  CHECK(verdict("shared", {.shared = 0.1}) == "fails");
  CHECK(verdict("decay", {.output = 0.5}) == "holds");
  CHECK(verdict("turns", {.turn = 5}) == "fails");
  CHECK(verdict("depth", {.first_post = 9}) == "partly");
  CHECK(verdict("depth", {.last_post = 0.5}) == "fails");
  check_says_nothing(kLesson);
}

}  // namespace ringside::lessons::norms
