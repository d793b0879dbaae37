// What the page of a run shows of the lesson: the stages beside each other, and what was measured besides.
#include "lesson.h"
#include "ringside/figures/text.h"
#include "ringside/planner/zero_plan.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

constexpr double kCells = 16;  // of stage 0's state

struct StageRow {
  int stage;
  const SectionView* section;
  State state;
  double sent_psi;
};

std::vector<StageRow> rows_of(const Trace& trace) {
  std::vector<StageRow> rows;
  for (int stage = 0; stage < kStages; ++stage)
    if (const SectionView* section = stage_section(trace, stage))
      rows.push_back({stage, section, state_of(trace, *section), sent_psi(trace, *section)});
  return rows;
}

// The point in ten seconds.
std::string headline(const std::vector<StageRow>& rows) {
  if (rows.size() < kStages) return tr("No stage has come to the end of its first steps.");
  if (data_ranks(*rows[0].section) == 1)
    return tr("One rank shares with nobody: every stage keeps the same and sends nothing. Try ranks=4.");
  const auto kept = [&](size_t stage) { return 100 * rows[stage].state.total() / rows[0].state.total(); };
  const auto as_much = [&](size_t stage) {
    return std::abs(rows[stage].sent_psi / rows[0].sent_psi - 1) < 0.01;
  };
  if (as_much(1) && as_much(2))
    return tr("Stages 1 and 2 keep {:.0f} % and {:.0f} % of stage 0's bytes, and send as many: {:.2f} Ψ.",
              kept(1), kept(2), rows[0].sent_psi);
  return tr("Stages 0, 1, 2 and 3 send {:.2f}, {:.2f}, {:.2f} and {:.2f} Ψ per step.", rows[0].sent_psi,
            rows[1].sent_psi, rows[2].sent_psi, rows[3].sent_psi);
}

// One letter per cell: P, G, O. Every part that exists shows at least one.
std::string bar(const State& state, double cell_bytes) {
  std::string text;
  for (const auto& [bytes, letter] :
       {std::pair{state.parameters, 'P'}, {state.gradients, 'G'}, {state.optimizer, 'O'}})
    if (bytes > 0) text.append(std::max<size_t>(1, size_t(std::lround(bytes / cell_bytes))), letter);
  return text;
}

// Against stage 0 after as many steps: the last ones, where every stage was trained to its end.
std::string bits_of(const Config& config, const Trace& trace, int stage) {
  const char* when = config.text("stage") == "all" ? "parameters" : "compared";
  const auto& hashes = trace.rows().outcome_text;
  const auto hash = [&](int of) { return hashes.find(fmt::format("stage_{}_{}_sha256", of, when)); };
  const auto reference = hash(0), own = hash(stage);
  if (reference == hashes.end() || own == hashes.end()) return "—";
  if (own == reference) return tr("reference");
  return own->second == reference->second ? tr("equal") : tr("differ");
}

figure::Table table_of(const Config& config, const Trace& trace, const std::vector<StageRow>& rows) {
  figure::Table table{figure::columns({"stage", "state", "of which", "formula", "sent", "peak", "bits"}), {}};
  const auto plan = plan_stages(planner_setup(config, 0));
  for (const StageRow& row : rows)
    table.rows.push_back(figure::cells(
        row.stage, format_bytes(row.state.total()), bar(row.state, rows[0].state.total() / kCells),
        plan[size_t(row.stage)].state_formula, fmt::format("{:.2f} Ψ", row.sent_psi),
        format_bytes(double(figure::peak_bytes(trace, *row.section))), bits_of(config, trace, row.stage)));
  return table;
}

std::string proof_words(const Trace& trace) {
  const auto proof = proof_of(trace);
  if (!proof) return "";
  const auto& all = proof->equal_expected;
  const auto differs =
      std::ranges::find_if(all, [](const ProofCase& one) { return one.first_difference != 0; });
  if (differs != all.end()) return tr("differs: {}: {}", differs->label(), differs->where);
  return tr("{} small fp32 trainings equal one process, bit for bit, {} steps", all.size(), proof->steps);
}

// Of a rank on a GPU.
double work_space(const Trace& trace) {
  for (const LedgerRow& row : trace.rows().ledger)
    for (const LedgerReason& reason : row.reasons)
      if (reason.name == kWorkSpace) return double(reason.bytes);
  return 0;
}

}  // namespace

std::string summarize(const Config& config, const Trace& trace, int width, bool colour) {
  const std::vector<StageRow> rows = rows_of(trace);
  std::string text = headline(rows) + '\n';
  if (rows.empty()) return text;
  text += figure::to_text(table_of(config, trace, rows), width, colour);
  const double ranks = data_ranks(*rows[0].section);
  return text + tr("Per rank and step. P parameters, G gradients, O optimizer. Ψ(N-1)/N = {:.2f} Ψ.\n",
                   (ranks - 1) / ranks);
}

std::vector<Readout> readouts(const FigureInput& input) {
  const auto rows = rows_of(input.trace);
  const auto& outcome = input.trace.rows().outcome;
  std::vector<Readout> all;
  if (!rows.empty()) {
    const double ranks = data_ranks(*rows[0].section);
    all.push_back(
        {tr("model"), tr("Ψ = {} parameters on N = {}, {}, {}", format_count(int64_t(psi(*rows[0].section))),
                         ranks == 1 ? tr("1 rank") : tr("{} ranks", ranks),
                         rows[0].section->text("precision"), rows[0].section->text(kOptimizerName))});
  }
  if (!rows.empty() && rows[0].section->has(kDeviceName))
    all.push_back(
        {tr("device"), tr("{}, whose memory the ranks share; of each peak {} are cuBLAS's work space",
                          rows[0].section->text(kDeviceName), format_bytes(work_space(input.trace)))});
  if (const std::string mesh = input.config.text("mesh"); !mesh.empty())
    all.push_back({tr("mesh"), tr("{}: Ψ is a rank's part of the model, N the ranks of dp", mesh)});
  if (outcome.contains("final_loss"))
    all.push_back(
        {tr("loss"), tr("{:.2f} → {:.2f}", outcome.at("first_tenth_loss"), outcome.at("last_tenth_loss"))});
  if (outcome.contains("accuracy"))
    all.push_back({tr("accuracy"), tr("{:.3f} on {} samples not trained on (the commonest class: {:.3f})",
                                      outcome.at("accuracy"), outcome.at("evaluated_samples"),
                                      outcome.at("majority_accuracy"))});
  if (const std::string proof = proof_words(input.trace); !proof.empty()) all.push_back({tr("proof"), proof});
  if (const SectionView* proof = input.trace.find(kProofSection);
      proof != nullptr && proof->has(kSplitDistance))
    all.push_back({"", tr("tp adds in another order than the whole model: a parameter differs by at most "
                          "{:.1e} (Adam's steps allow {:.1e})",
                          proof->number(kSplitDistance), proof->number(kSplitBound))});
  if (!rows.empty() && rows[0].section->text("link") != "none")
    all.push_back({tr("times"), tr("of a simulated link: {}", rows[0].section->text("link"))});
  if (!rows.empty() && input.config.text("stage") != "all")
    all.push_back({tr("compared"), tr("the four stages over {} each", in_steps(*rows[0].section))});
  return all;
}

}  // namespace ringside::zero_lesson
