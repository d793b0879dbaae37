#include "lesson.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "measure.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/summary_text.h"
#include "ringside/lesson/tr.h"
#include "ringside/planner/zero_plan.h"
#include "ringside/trace/training_remark.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

class Summarizer : private SummaryText {
 public:
  Summarizer(const Config& config, const Trace& trace, int width, bool colour)
      : SummaryText(width, colour), config_(config), trace_(trace) {
    for (int stage = 0; stage <= 3; ++stage) {
      const SectionView* section = stage_section(trace, stage);
      if (section == nullptr) continue;
      rows_.push_back({stage, section, state_of(trace, *section), sent_psi(trace, *section),
                       figure::sent_bytes(trace, *section)});
    }
  }

  std::string summarize() {
    head();
    surprise();
    simulated();
    table();
    compared_stages();
    both_rows();
    in_short();
    claims(trace_.rows().claims);
    ledger();
    learned();
    remarks();
    proof();
    next_steps();
    return text();
  }

 private:
  struct Row {
    int stage;
    const SectionView* section;
    State state;
    double sent_psi, sent_bytes;
  };

  bool one_rank() const { return !rows_.empty() && rows_[0].section->ranks() == 1; }
  double times(size_t row) const { return rows_[row].sent_psi / rows_[0].sent_psi; }  // sent, of stage 0's
  bool as_much(size_t row) const { return std::abs(times(row) - 1) < 0.01; }
  double kept(size_t row) const { return 100 * rows_[row].state.total() / rows_[0].state.total(); }  // %

  void head() {
    const std::string question = "What must each GPU keep in memory, and what does it cost to keep less?";
    if (rows_.empty()) return title("zero", question, "");
    const SectionView& section = *rows_[0].section;
    const std::string g = section.text("accumulate");
    title("zero", question,
          fmt::format("{} {}, no GPU, {:.0f} s", section.ranks(), one_rank() ? "thread" : "threads",
                      trace_.rows().outcome.at("seconds")));
    const ZeroSetup setup = planner_setup(config_, 0);
    paragraph(fmt::format("Ψ {} parameters   N {} {}   g {} {}   {}, {} (K={})",
                          format_count(static_cast<int64_t>(psi(section))), section.ranks(),
                          one_rank() ? "rank" : "ranks", g, g == "1" ? "micro-batch" : "micro-batches",
                          setup.precision == Precision::kBFloat16 ? "bf16, fp32 master" : "fp32",
                          find_optimizer(setup.optimizer.name).title,
                          state_widths(setup.precision, setup.optimizer).optimizer),
              0);
  }

  void simulated() {
    if (rows_.empty() || rows_[0].section->text("link") == "none") return;
    line("times are of a simulated link: " + rows_[0].section->text("link"));
  }

  // The point in ten seconds: always the third line.
  void surprise() {
    if (rows_.size() < 4 || one_rank()) return;
    const std::string text =
        as_much(1) && as_much(2)
            ? tr("Stages 1 and 2 keep {:.0f} % and {:.0f} % of stage 0's bytes, and send as many: {:.2f} Ψ a "
                 "step.",
                 kept(1), kept(2), rows_[0].sent_psi)
            : tr("Stages 0, 1, 2 and 3 send {:.2f}, {:.2f}, {:.2f} and {:.2f} Ψ a step.", rows_[0].sent_psi,
                 rows_[1].sent_psi, rows_[2].sent_psi, rows_[3].sent_psi);
    line(bold(wrap(text, width(), 0)));
  }

  // ---- The table ----------------------------------------------------------

  size_t cells() const { return width() >= 98 ? 32 : 16; }
  double cell_bytes() const { return rows_[0].state.total() / static_cast<double>(cells()); }

  // One letter a cell: P, G, O. Every part that exists shows at least one.
  std::string bar(const State& state) const {
    const auto letters = [&](double bytes) {
      return bytes <= 0 ? size_t{0}
                        : std::max<size_t>(1, static_cast<size_t>(std::lround(bytes / cell_bytes())));
    };
    const std::string p(letters(state.parameters), 'P'), g(letters(state.gradients), 'G'),
        o(letters(state.optimizer), 'O');
    const size_t used = p.size() + g.size() + o.size();
    const std::string blank(used < cells() ? cells() - used : 0, ' ');
    return paint("94", p) + paint("93", g) + paint("35", o) + blank;
  }

  void table() {
    if (rows_.empty()) return;
    line(pad("stage", 7) + pad("state per rank", 13 + cells() + 1) + pad("formula", 13) +
         pad("sent per rank, step", 22) + "bits");
    const auto plan = plan_stages(planner_setup(config_, 0));
    for (const Row& row : rows_) {
      line(pad("  " + std::to_string(row.stage), 5) + pad_left(format_bytes(row.state.total()), 11) + "  " +
           bar(row.state) + "  " + pad(plan[static_cast<size_t>(row.stage)].state_formula, 13) +
           pad(fmt::format("{:.2f} Ψ  {:>10}", row.sent_psi, format_bytes(row.sent_bytes)), 22) +
           bits_of(row));
    }
    line(fmt::format("P parameters, G gradients, O optimizer state; one letter = {:.3g} MiB",
                     cell_bytes() / (1 << 20)));
  }

  // Against stage 0 after as many steps: the last ones, where every stage was trained to its end.
  std::string bits_of(const Row& row) const {
    const char* when = config_.text("stage") == "all" ? "parameters" : "compared";
    const auto& hashes = trace_.rows().outcome_text;
    const auto hash = [&](int stage) { return hashes.find(fmt::format("stage_{}_{}_sha256", stage, when)); };
    const auto reference = hash(rows_[0].stage), own = hash(row.stage);
    if (reference == hashes.end() || own == hashes.end()) return "";
    if (own == reference) return "reference";
    return own->second == reference->second ? "equal" : fmt::format("differ from {}", rows_[0].stage);
  }

  void compared_stages() {
    if (rows_.empty() || config_.text("stage") == "all") return;
    line("stage " + config_.text("stage") +
         " was trained to its end; all four are compared over their first " +
         rows_[0].section->text("steps") + " steps");
  }

  // What the paper's algorithm sends, and what DeepSpeed sends by default.
  void both_rows() {
    const int64_t g = most_accumulation(trace_);
    const auto row = [&](const char* what, int64_t micro_batches, const char* reduce, const char* formula) {
      const auto times = sent_times(trace_, reduce, micro_batches);
      if (times) line(fmt::format("  {}{:.2f}   {}", pad(what, 38), fmt::join(*times, "  "), formula));
    };
    if (g == 1 || rows_.empty() || one_rank()) return;
    line("sent by stages 0, 1, 2, 3, in Ψ(N-1)/N");
    row("the paper's algorithm, g=1", 1, "reduce_scatter", "2, 2, 2, 3");
    row(fmt::format("DeepSpeed's default (all_reduce), g={}", g).c_str(), g, "all_reduce", "2, 3, 2g+1, 3g");
  }

  // ---- Words, chosen by what was measured -----------------------------------

  void in_short() {
    if (rows_.size() < 4) return;
    if (one_rank())
      return labelled(
          "In short",
          "One rank has nobody to share with: every stage keeps the same and sends nothing. Try ranks=4.");
    const std::string text =
        as_much(1) && as_much(2)
            ? "Stages 1 and 2 send the same bytes as plain data parallelism: a ring all-reduce is a "
              "reduce-scatter and an all-gather. Theirs comes after the update, where nothing hides it."
            : fmt::format(
                  "Stage 1 sends {:.2f} times what plain data parallelism sends, stage 2 {:.2f} times.",
                  times(1), times(2));
    const char* price = keeps_gathered(*rows_[3].section)
                            ? ", while from forward to backward it holds all parameters (reshard=off)."
                            : ".";
    labelled("In short",
             fmt::format("{} Stage 3 keeps {:.0f} % of stage 0's bytes and sends {:.2f} times as many{}",
                         text, kept(3), times(3), price));
  }

  void ledger() {
    const auto& rows = trace_.rows().ledger;
    const int64_t unexplained = unexplained_bytes(rows);
    int64_t padding = 0, uneven = 0;
    for (const LedgerRow& row : rows) {
      for (const LedgerReason& reason : row.reasons) {
        if (row.what == "memory" && row.at == kAfterStep && stage_named(row.section) >= 0)
          padding += reason.bytes;
        if (reason.name == "uneven chunks") uneven += std::abs(reason.bytes);
      }
    }
    if (unexplained != 0) {
      labelled("Ledger", paint("31", format_bytes(static_cast<double>(unexplained)) + " UNEXPLAINED") +
                             ": see the rows of --json");
      return;
    }
    labelled("Ledger", fmt::format("every byte explained, memory and traffic, {} rows (padding: {} B{})",
                                   rows.size(), padding, uneven == 0 ? "" : "; all-reduce chunks uneven"));
  }

  void learned() {
    const auto& outcome = trace_.rows().outcome;
    if (!outcome.contains("final_loss")) return;
    labelled(
        "Learn",
        fmt::format(
            "loss {:.2f} -> {:.2f}, accuracy {:.3f} on {} held-out samples (the commonest class: {:.3f}); {}",
            outcome.at("first_tenth_loss"), outcome.at("last_tenth_loss"), outcome.at("accuracy"),
            outcome.at("evaluated_samples"), outcome.at("majority_accuracy"),
            trace_.rows().outcome_text.at("data")));
  }

  // What the stages' trainings say of themselves; one that several say, once.
  void remarks() {
    constexpr size_t kMost = 3;
    std::vector<std::string> texts;
    for (const Row& row : rows_)
      for (const TrainingRemark& remark : rows_as<TrainingRemark>(*row.section))
        if (std::find(texts.begin(), texts.end(), remark.text) == texts.end()) texts.push_back(remark.text);
    for (size_t i = 0; i < std::min(texts.size(), kMost); ++i) labelled(i == 0 ? "Note" : "", texts[i]);
    if (texts.size() > kMost)
      labelled("", tr("{} more notes: the table \"{}\" of a trace that --trace saves.", texts.size() - kMost,
                      TrainingRemark::kTable.table));
  }

  void proof() {
    const auto result = proof_of(trace_);
    if (!result) return;
    const auto equal = std::count_if(result->equal_expected.begin(), result->equal_expected.end(),
                                     [](const ProofCase& one) { return one.first_difference == 0; });
    labelled(
        "Proof",
        fmt::format(
            "{} of {} small fp32 trainings (stages x buckets x overlap x prefetch, clipped, uneven shards) "
            "equal one process that emulates the ranks, bit for bit, {} steps",
            equal, result->equal_expected.size(), result->steps));
    for (const ProofCase& one : result->equal_expected) {
      if (one.first_difference != 0)
        line(std::string(kIndent, ' ') + paint("31", "differs: ") + one.label() + ": " + one.where);
    }
  }

  void next_steps() {
    std::vector<std::pair<std::string, std::string>> steps;
    if (config_.integer("ranks") == 1) {
      steps = {{"./run zero ranks=4", "what changes with more ranks?"}};
    } else {
      if (config_.integer("accumulate") == 1)
        steps.emplace_back("./run zero accumulate=8", "why do stages 2 and 3 send more?");
      if (config_.text("reduce") == "reduce_scatter")
        steps.emplace_back("./run zero reduce=all_reduce", "what does DeepSpeed's default cost?");
      if (config_.integer("ranks") != 3)
        steps.emplace_back("./run zero ranks=3", "what if Ψ does not divide by N?");
      if (config_.text("link") == "none")
        steps.emplace_back("./run zero ranks=2 link=ethernet", "does overlap save time there?");
    }
    next(steps);
  }

  const Config& config_;
  const Trace& trace_;
  std::vector<Row> rows_;
};

}  // namespace

std::string summarize(const Config& config, const Trace& trace, int width, bool colour) {
  return Summarizer(config, trace, width, colour).summarize();
}

}  // namespace ringside::zero_lesson
