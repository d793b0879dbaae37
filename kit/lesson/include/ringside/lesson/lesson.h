// What a lesson is: a folder with lesson.md (front matter and text) and
// experiment.cpp, which defines `Lesson make_lesson()` in namespace
// ringside::lessons::<id>. Everything a front end needs is declared here as data:
// flags, sliders, help and scenario lines derive from the one declaration.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ringside/base/run_control.h"
#include "ringside/lesson/config.h"
#include "ringside/lesson/figure.h"
#include "ringside/lesson/formula.h"
#include "ringside/trace/trace.h"

namespace ringside::inline comm {
class ProcessWiring;  // wiring.h
}  // namespace ringside::inline comm

namespace ringside::inline kit {

// A known wrong formula: what a learner answers who believes `name`. NaN: nobody can believe it at
// this scenario (it belongs to the other precision, say).
struct WrongFormula {
  std::string name;  // "forgot the fp32 master copy"
  std::function<double(const Config&)> value;
  // As a formula in the question's symbols; "" where it does not apply.
  std::function<std::string(const Config&)> text = {};
  std::string why = {};  // why it is wrong, for who gave it: a sentence or two
};

// A kind of state as a block to be dragged onto a rank: how much of `whole` stays there?
struct StateBlock {
  std::string letter{}, meaning{};  // "O", "optimizer"
  Category category = Category::kOther;
  double whole = 0;  // in the question's unit: what a rank would hold unsharded
  double right = 0;  // what it really keeps
  std::vector<std::pair<std::string, double>> parts = {};            // of whole: master 4, m 4, v 4
  std::function<std::optional<double>(const Trace&)> measured = {};  // what it kept in the run
};

// What an answer is worth where it hurts: its formula with other values of its symbols, times a factor.
struct AtScale {
  std::string where;                      // "At 7.5 billion parameters on 64 ranks"
  std::map<std::string, double> symbols;  // N = 64
  double times = 1;                       // 7.5 billion bytes are so many of the unit
  std::string unit;                       // "GB a rank"
};

enum class AnswerKind : uint8_t {
  kNumber,
  kFormula,
  kBlocks,
  kChoice,   // one of several
  kChoices,  // some of several
  kOrder,    // all of them, in an order
  kLine,     // one line of a listing
  kText      // a few words
};
std::span<const std::string_view> texts(AnswerKind);  // "number", "formula", "blocks", "choice", ...

// What a learner answers in words, one at least: one for kChoice and kText; for kLine the line's number, from
// 1; for kChoices those chosen, in any order; for kOrder all options in their order.
using Words = std::vector<std::string>;

// The same at every scenario: `.right = always(Words{"b"})`.
template <typename Value>
std::function<Value(const Config&)> always(Value value) {
  return [value = std::move(value)](const Config&) { return value; };
}

// A known wrong answer, and what a learner believes who gives it.
struct WrongWords {
  std::string name;  // "return hands the values on"
  Words answer;
  std::string why = {};  // why it is wrong, for who gave it: a sentence or two
};

// A question that is answered in words. What a declaration must keep to stands in word_question.h; a run of
// the lesson checks it.
struct WordQuestion {
  AnswerKind kind = AnswerKind::kChoice;
  std::function<Words(const Config&)> right = {};
  // What there is to choose or to order, as it is shown; for kLine the lines of the listing; empty for kText.
  std::function<Words(const Config&)> options = {};
  std::function<std::vector<WrongWords>(const Config&)> wrong = {};  // those that apply at this scenario
  std::function<std::optional<Words>(const Trace&)> measured = {};   // from the run; null: it is calculated
  std::vector<std::string> accepted = {};                            // kText: other forms of the right answer
};

// A number is asked for, or words where `words` is set: unit, formula, wrong, measured, symbols,
// formula_text, blocks and answered_by are then left out.
struct PredictionSpec {
  std::string id, question, unit = {};
  std::function<double(const Config&)> formula = {};  // the right one
  std::vector<WrongFormula> wrong = {};
  std::function<std::optional<double>(const Trace&)> measured = {};  // from the run; null: it is calculated

  // All optional: what a front end offers beside a plain number.
  std::function<std::vector<Symbol>(const Config&)> symbols = {};     // of a typed formula, at this scenario
  std::function<std::string(const Config&)> formula_text = {};        // the right one, in these symbols
  std::function<std::vector<StateBlock>(const Config&)> blocks = {};  // where the question is about memory
  std::string section = {};                                           // of the trace that shows it: "stage 2"
  std::vector<std::string> again = {};           // scenario words that ask the same elsewhere: "ranks=8"
  AnswerKind answered_by = AnswerKind::kNumber;  // the natural way
  std::optional<WordQuestion> words = {};
  std::string figure = {};               // the one that stands beside the question
  std::optional<AtScale> at_scale = {};  // with symbols and formula_text

  // What is said around the question. None of it may tell the answer of another one, but `why` and `more`,
  // which stand behind the answer of this one.
  std::string name = {};  // where questions are listed: "memory, stage 2"
  std::string board =
      {};  // questions of one board, neighbours, are answered before the run is watched: "memory"
  std::string context = {};  // a sentence under the question, that it needs to be understood
  std::string why = {};      // why the right answer is right: two sentences
  std::string more = {};     // one more fact, for who was right
  std::string instant = {};  // of the run, that shows why: "stage 2:2:backward", as for --at
  bool whole = false;        // the answer counts something: 8 pairs, not 8.00
};

struct ClaimResult {
  Verdict verdict = Verdict::kNotTestable;
  std::string evidence;  // measured figures in words; "calculated" stands before what no run measured
  std::vector<Attribute> values = {};  // of the block's sentence, which is then the evidence (lesson_of.h)
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
  double share = -1;  // of the run's time that is over, where units take unequally long; < 0: done of total
};
inline double share_of(const Progress& progress) {
  if (progress.share >= 0) return progress.share;
  return progress.total > 0 ? double(progress.done) / double(progress.total) : 0;
}

struct RunContext {
  TraceStore& store;
  RunControl& control;
  std::function<void(const Progress&)> progress;  // may be called from any rank's thread; cheap
  // Where this process is one rank of the run (Lesson::as_processes): for WorldHooks::process. Each process
  // runs the whole lesson, and has the whole trace when a training is over.
  std::shared_ptr<ProcessWiring> process = nullptr;
};

// A step of what a scenario trains, to be taken again and again and timed.
struct StepTimer {
  std::string what;                 // "a step of stage 0"
  std::function<double()> step_ms;  // takes one and says how long it took; throws what the step throws
};

// How front ends speak of a run of this lesson, where it is not a training of several ranks.
struct LessonWords {
  std::string starting = "The ranks are starting.";    // before anything is recorded
  std::string watch = "Now watch what the ranks do.";  // once a guess is kept
  std::string x_axis = "step";                         // of scalars
  std::string step = "step";                           // the span that a step of the playhead goes to
};

// A word of the field, as a front end explains it where it stands.
struct Term {
  std::string word;      // "all-reduce"; other forms behind commas: "rank, ranks"
  std::string chinese;   // "全归约"; may be empty
  std::string sentence;  // one
};

// One figure by which two runs are compared: "sent 2.25 -> 1.50 Ψ".
struct Gauge {
  std::string name, unit;  // "sent", "Ψ"
  std::function<std::optional<double>(const FigureInput&)> value;
};

// A line of the live panel that rows of the lesson tell, and no event: how much a server keeps, what an
// optimizer's state takes.
enum class LivePart : uint8_t { kMemory, kTraffic, kResults };
struct LiveLine {
  LivePart part = LivePart::kResults;
  std::string name;
  double value = 0;
  std::string unit = {};  // "bytes" and "s" get their prefix
  std::string more = {};  // a second value, as text: "own + copies"
};

// On the page of a finished run, in place of the first figure: the result in a line, then its picture.
using Summary = std::function<std::string(const Config&, const Trace&, int width, bool colour)>;

struct Lesson {
  // From lesson.md (front_matter.h); make_lesson() leaves these alone.
  std::string id, title, track;
  std::string short_name;  // where there is little room: "ZeRO"; the id where none is given
  int order = 0;
  std::vector<std::string> questions;  // of the source documents: "B13"
  std::string text;                    // lesson.md without its front matter
  std::vector<Term> terms;             // of its table (lesson_text.h)
  // From experiment.cpp.
  std::vector<ParameterSpec> parameters;
  std::vector<PredictionSpec> predictions;
  std::vector<ClaimSpec> claims;
  std::vector<FigureSpec> figures;  // the first is what the room opens with
  std::function<std::vector<Readout>(const FigureInput&)> readouts;
  std::vector<Gauge> gauges;  // the first says most
  std::function<std::vector<LiveLine>(const FigureInput&)> live;
  // What there is to see, before the first question: three sentences, with the scenario's numbers.
  std::function<std::vector<std::string>(const Config&)> opening;
  LessonWords words;
  // Runs to its end, or throws: CancelledError at a step boundary, typed errors
  // else. Rows (ledger, outcome) go to the store; claims and predictions are
  // judged by the session from the trace.
  std::function<void(const Config&, const RunContext&)> run;
  // Its ranks may be processes, one of parameter `ranks` each: run() hands RunContext::process to every
  // training.
  bool as_processes = false;
  Summary summary;
  // What `ringside bench step` compares; empty: nothing. UsageError for a scenario that has no step to time.
  std::function<StepTimer(const Config&)> step_timer;
  // Exit code 4 where this names a failed check (empty: none). Never a claim's verdict.
  std::function<std::string(const Trace&)> failed_check;
};

// Loads the lesson's module (modules.h) when it is first asked for; from any thread. UsageError naming what
// exists, MissingError where it is not built.
const Lesson& find_lesson(const std::string& id);

}  // namespace ringside::inline kit
