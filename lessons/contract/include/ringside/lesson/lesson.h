// What a lesson is: a folder with lesson.md (front matter and text) and
// experiment.cpp, which defines `Lesson make_lesson()` in namespace
// ringside::lessons::<id>. Everything a front end needs is declared here as data:
// flags, sliders, help and scenario lines derive from the one declaration.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ringside/base/run_control.h"
#include "ringside/lesson/config.h"
#include "ringside/lesson/formula.h"
#include "ringside/trace/trace.h"

namespace ringside {

// A known wrong formula: what a learner answers who believes `name`. NaN: nobody can believe it at
// this scenario (it belongs to the other precision, say).
struct WrongFormula {
  std::string name;  // "forgot the fp32 master copy"
  std::function<double(const Config&)> value;
  // As a formula in the question's symbols; "" where it does not apply.
  std::function<std::string(const Config&)> text = {};
};

// A kind of state as a block to be dragged onto a rank: how much of `whole` stays there?
struct Block {
  std::string letter, meaning;  // "O", "optimizer"
  Category category = Category::kOther;
  double whole = 0;  // in the question's unit: what a rank would hold unsharded
  double right = 0;  // what it really keeps
  std::vector<std::pair<std::string, double>> parts = {};            // of whole: master 4, m 4, v 4
  std::function<std::optional<double>(const Trace&)> measured = {};  // what it kept in the run
};

enum class AnswerKind : uint8_t { kNumber, kFormula, kBlocks };

struct PredictionSpec {
  std::string id, question, unit;
  std::function<double(const Config&)> formula;  // the right one
  std::vector<WrongFormula> wrong;
  std::function<std::optional<double>(const Trace&)> measured;  // from the run; null: it is calculated

  // All optional: what a front end offers beside a plain number.
  std::function<std::vector<Symbol>(const Config&)> symbols = {};  // of a typed formula, at this scenario
  std::function<std::string(const Config&)> formula_text = {};     // the right one, in these symbols
  std::function<std::vector<Block>(const Config&)> blocks = {};    // where the question is about memory
  std::string section = {};                                        // of the trace that shows it: "stage 2"
  std::vector<std::string> again = {};           // scenario words that ask the same elsewhere: "ranks=8"
  AnswerKind answered_by = AnswerKind::kNumber;  // the natural way
};

struct ClaimResult {
  Verdict verdict = Verdict::kNotTestable;
  std::string evidence;  // measured figures in words; "calculated" stands before what no run measured
};
// A claim is a pure function of the trace: another trace, another verdict.
struct ClaimSpec {
  std::string id, source, statement;
  std::function<ClaimResult(const Trace&)> judge;
};

// How far a run is, for a progress line.
struct Progress {
  std::string phase;  // "stage 2"
  int64_t done = 0;   // units of work, the same unit over the whole run
  int64_t total = 0;
};

struct RunContext {
  TraceStore& store;
  RunControl& control;
  std::function<void(const Progress&)> progress;  // may be called from any rank's thread; cheap
};

// How a front end shows a finished run as text; width in columns.
using Summary = std::function<std::string(const Config&, const Trace&, int width, bool colour)>;

struct Lesson {
  // From lesson.md (front_matter.h); make_lesson() leaves these alone.
  std::string id, title, track;
  int order = 0;
  std::vector<std::string> questions;  // of the source documents: "B13"
  std::string text;                    // lesson.md without its front matter
  // From experiment.cpp.
  std::vector<ParameterSpec> parameters;
  std::vector<PredictionSpec> predictions;
  std::vector<ClaimSpec> claims;
  // Runs to its end, or throws: CancelledError at a step boundary, typed errors
  // else. Rows (ledger, outcome) go to the store; claims and predictions are
  // judged by the session from the trace.
  std::function<void(const Config&, const RunContext&)> run;
  Summary summary;
  // Exit code 4 where this names a failed check (empty: none). Never a claim's verdict.
  std::function<std::string(const Trace&)> failed_check;
};

// The generated table (lessons/table): every folder with a lesson.md, in order of (track, order).
const std::vector<Lesson>& all_lessons();
const Lesson& find_lesson(const std::string& id);  // UsageError naming what exists

}  // namespace ringside
