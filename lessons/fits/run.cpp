// Trains small models of the released model's proportions: one of each stage for the bytes of state, one of
// each size for the bytes of activations.
#include "parts.h"
#include "ringside/figures/holding.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/section_title.h"
#include "ringside/trace/measure.h"
#include "ringside/train/booked.h"

namespace ringside::lessons::fits {
namespace {

constexpr int64_t kFewestHeads = 4;

// Sequences, tokens, elements of a head, layers. The last two are kept aside: the fit has to predict them.
struct Size {
  int64_t b, s, head, L;
  bool aside = false;
};
constexpr Size kSizes[] = {{1, 32, 8, 1},         {2, 32, 8, 2},        {1, 64, 8, 2}, {1, 64, 16, 1},
                           {2, 64, 16, 3},        {1, 128, 16, 2},      {3, 96, 8, 1}, {1, 96, 32, 2},
                           {4, 128, 16, 4, true}, {1, 384, 32, 6, true}};
constexpr Size kOfStages{1, 32, 16, 2};  // on each rank

TrainerConfig one_step(const TextSizes& like, const Size& size, int ranks = 1) {
  TrainerConfig trainer;
  trainer.model = small_model(like, kFewestHeads, size.head, size.L);
  trainer.ranks = ranks;
  trainer.batch = size.b * ranks;
  trainer.max_tokens = size.s;
  trainer.steps = 1;
  trainer.evaluate_every = -1;
  return trainer;
}

// What is live when forward has ended is what backward needs.
int64_t kept_by_forward(const Trace& trace, const SectionView& section) {
  const int64_t begins_ns = spans_named(trace, section, "backward").front().start_ns;
  return figure::live_at(section, 0, Category::kActivations, begins_ns);
}

struct Run {
  const RunContext& context;
  const CardBudget budget;
  RunParts parts{context, kStages + std::ssize(kSizes)};
  Trace trace = {};
  TraceRows rows = {};

  void run() {
    for (int stage = 0; stage < kStages; ++stage) train_stage(stage);
    Recorder& pen = *context.store.add_section("sizes", {}, 1).front();
    std::vector<SizeRow> sizes;
    for (const Size& size : kSizes) sizes.push_back(train_size(size));
    const FitRow fit = fit_sizes(sizes);
    for (const SizeRow& size : sizes) record_row(pen, size);
    record_fit(pen, fit, budget, rows_in<CardRow>(trace));
  }

  const SectionView& train_section(const TrainerConfig& trainer, const std::string& name,
                                   const std::string& title) {
    TrainerHooks hooks = hooks_of(context.control);
    hooks.attributes = {{kSectionTitle, title}};
    train_and_book(trainer, sequences_of(trainer.max_tokens), context.store, name, hooks, rows);
    trace = context.store.snapshot();
    parts.tell(title);
    return *trace.find(name);
  }

  void train_stage(int stage) {
    TrainerConfig trainer = one_step(budget.model.text, kOfStages, budget.cards);
    trainer.stage = stage;
    const std::string name = "stage " + std::to_string(stage);
    const SectionView& section = train_section(trainer, name, tr("stage {} of a small model", stage));
    const auto parameters = section.number("parameters");
    StateRow row{.stage = stage, .activations = peak_bytes(section, Category::kActivations)};
    std::map<std::string, double> scaled;  // by category
    for (const LedgerRow& entry : rows.ledger) {
      if (entry.section != name || entry.what != "memory" || entry.at != kAfterStep || entry.rank != 0 ||
          !entry.predicted)
        continue;
      const int64_t padding = entry.counted - entry.unexplained() - *entry.predicted;
      row.predicted += *entry.predicted, row.padding += padding, row.counted += entry.counted;
      scaled[entry.category] = double(entry.counted - padding) / parameters * budget.parameters;
    }
    row.each = double(row.counted - row.padding) / parameters;
    Recorder& pen = *context.store.add_section(name + " counted", {}, 1).front();
    record_row(pen, row);
    record_row(pen, CardRow{stage, scaled["parameters"], scaled["gradients"], scaled["optimizer"],
                            budget.memory, stage == budget.stage});
  }

  SizeRow train_size(const Size& size) {
    const TrainerConfig trainer = one_step(budget.model.text, size);
    const int64_t h = trainer.model.hidden;
    const std::string title = tr("b {} s {} h {} layers {}", size.b, size.s, h, size.L);
    const SectionView& section = train_section(trainer, "size " + title, title);
    SizeRow row{size.b, size.s, h, trainer.model.heads, size.L, kept_by_forward(trace, section)};
    row.peak = peak_bytes(section, Category::kActivations);
    row.role = size.aside ? kPredicted : kFitted;
    return row;
  }
};

}  // namespace

FitRow fit_sizes(std::vector<SizeRow>& sizes) {
  std::vector<CountedActivations> counted;
  for (const SizeRow& size : sizes)
    if (size.role == kFitted) counted.push_back({size.sizes(), double(size.counted)});
  const ActivationTerms terms = fit_terms(counted).value();
  FitRow fit{terms.hidden, terms.scores};
  for (SizeRow& size : sizes) {
    const double bytes = terms.bytes(size.sizes());
    size.by_fit = int64_t(bytes), size.error = 100 * (bytes / double(size.counted) - 1);
    if (size.role == kPredicted) fit.error = std::max(fit.error, std::abs(size.error));
  }
  return fit;
}

void record_fit(Recorder& pen, FitRow fit, const CardBudget& budget, const std::vector<CardRow>& cards) {
  const ActivationTerms terms{fit.hidden, fit.scores};
  const double no_scores = budget.sequence(terms.without_scores()), recomputed = budget.recomputed(terms);
  fit.sequence = budget.sequence(terms);
  fit.logits = budget.logits();
  record_row(pen, fit);
  for (const CardRow& card : cards) {
    const auto most = [&](double sequence) { return budget.most(card.state(), sequence); };
    record_row(pen, MostRow{card.stage, (budget.memory - card.state()) / kGiga, most(fit.sequence),
                            most(no_scores), most(recomputed), card.asked});
    // A card's memory over the sequences of a micro-batch.
    for (double b = 1; card.asked && b <= 16; ++b) {
      record_point(pen, "all kept", b, (card.state() + b * fit.sequence) / kGiga);
      record_point(pen, "no scores", b, (card.state() + b * no_scores) / kGiga);
      record_point(pen, "checkpointed", b, (card.state() + b * recomputed) / kGiga);
    }
  }
}

void run(const Config& config, const RunContext& context) { Run{context, budget_of(config)}.run(); }

}  // namespace ringside::lessons::fits
