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

// One step of a model of the same proportions: heads to key and value heads, intermediate to hidden.
TrainerConfig one_step(const TextSizes& like, const Size& size, int ranks = 1) {
  const int64_t share = like.heads / like.kv_heads, groups = (kFewestHeads + share - 1) / share;
  TrainerConfig trainer;
  trainer.model.heads = share * groups;
  trainer.model.kv_heads = groups;
  trainer.model.hidden = trainer.model.heads * size.head;
  trainer.model.intermediate = trainer.model.hidden * like.intermediate / like.hidden;
  trainer.model.layers = size.L;
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
  const Budget budget;
  RunParts parts{context, kStages + std::ssize(kSizes)};
  Trace trace = {};
  TraceRows rows = {};

  void run() {
    for (int stage = 0; stage < kStages; ++stage) train_stage(stage);
    Recorder& pen = *context.store.add_section("sizes", {}, 1).front();
    std::vector<SizeRow> sizes;
    for (const Size& size : kSizes) sizes.push_back(train_size(size));
    FitRow fit = fit_sizes(sizes);
    fit.sequence = budget.one(fit.fit()), fit.stage = budget.stage;
    for (const SizeRow& size : sizes) record_row(pen, size);
    record_row(pen, fit);
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
    record_row(pen,
               CardRow{stage, scaled["parameters"], scaled["gradients"], scaled["optimizer"], budget.memory});
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

void run(const Config& config, const RunContext& context) { Run{context, budget_of(config)}.run(); }

}  // namespace ringside::lessons::fits
