// Trains small models of the released model's proportions: one of each stage for the bytes of state, one of
// each size for the bytes of activations.
#include "parts.h"
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
  bool fitted = true;
};
constexpr Size kSizes[] = {{1, 32, 8, 1},          {2, 32, 8, 2},         {1, 64, 8, 2}, {1, 64, 16, 1},
                           {2, 64, 16, 3},         {1, 128, 16, 2},       {3, 96, 8, 1}, {1, 96, 32, 2},
                           {4, 128, 16, 4, false}, {1, 384, 32, 6, false}};

// The model's own proportions: heads to key and value heads, intermediate to hidden.
ClassifierConfig small_model(const TextSizes& like, int64_t head, int64_t layers) {
  const int64_t share = like.heads / like.kv_heads, groups = (kFewestHeads + share - 1) / share;
  ClassifierConfig model;
  model.heads = share * groups;
  model.kv_heads = groups;
  model.hidden = model.heads * head;
  model.intermediate = model.hidden * like.intermediate / like.hidden;
  model.layers = layers;
  return model;
}

// Every sequence has all tokens: a batch of b of them is b s tokens.
Dataset sequences_of(int64_t tokens, int64_t classes) {
  Dataset data;
  data.description = "made up";
  for (int64_t c = 0; c < classes; ++c) data.classes.push_back(std::to_string(c));
  for (int32_t i = 0; i < 32; ++i) {
    Sample sample{std::vector<int32_t>(size_t(tokens), 'a' + i % 26), i % 4};
    sample.tokens.back() = kEndToken;
    data.train.push_back(sample);
  }
  data.test = {data.train.front()};
  return data;
}

TrainerConfig one_step(const ClassifierConfig& model, int64_t tokens) {
  TrainerConfig trainer;
  trainer.model = model;
  trainer.max_tokens = tokens;
  trainer.steps = 1;
  trainer.evaluate_every = -1;
  return trainer;
}

// When forward has ended: what is live then is what backward needs.
int64_t kept_by_forward(const Trace& trace, const SectionView& section) {
  int64_t begins_ns = std::numeric_limits<int64_t>::max(), kept = 0;
  for (const SpanEvent& span : section.spans(0))
    if (trace.name(span.name) == "backward") begins_ns = std::min(begins_ns, span.start_ns);
  for (const MemoryEvent& event : section.memory(0, Category::kActivations))
    if (event.time_ns <= begins_ns) kept = event.live_bytes;
  return kept;
}

class Run {
 public:
  Run(const Config& config, const RunContext& context) : context_(context), budget_(budget_of(config)) {}

  void run() {
    const TextSizes& text = budget_.model.text;
    for (int stage = 0; stage < kStages; ++stage) train_stage(stage);
    pen_ = context_.store.add_section("sizes", {}, 1).front();
    record_row(*pen_, ModelRow{budget_.sequence.s, text.hidden, text.heads, text.layers, text.vocabulary,
                               budget_.stage, budget_.cards, budget_.model.source});
    for (const Size& size : kSizes) train_size(size);
  }

 private:
  const SectionView& train_section(const TrainerConfig& trainer, const std::string& name,
                                   const std::string& title) {
    const Dataset data = sequences_of(trainer.max_tokens, trainer.model.classes);
    TrainerHooks hooks;
    hooks.control = &context_.control;
    hooks.attributes = {{kSectionTitle, title}};
    train_and_book(trainer, data, context_.store, name, hooks, rows_);
    trace_ = context_.store.snapshot();
    context_.progress({title, ++done_, kStages + std::ssize(kSizes)});
    return *trace_.find(name);
  }

  void train_stage(int stage) {
    TrainerConfig trainer = one_step(small_model(budget_.model.text, 16, 2), 32);
    trainer.ranks = budget_.cards;
    trainer.batch = budget_.cards;
    trainer.stage = stage;
    const std::string name = "stage " + std::to_string(stage);
    const SectionView& section = train_section(trainer, name, tr("stage {} of a small model", stage));
    StateRow row{.stage = stage, .parameters = section.integer("parameters")};
    for (const LedgerRow& entry : rows_.ledger) {
      if (entry.section != name || entry.what != "memory" || entry.at != kAfterStep || entry.rank != 0 ||
          !entry.predicted)
        continue;
      int64_t padding = 0;
      for (const LedgerReason& reason : entry.reasons) padding += reason.bytes;
      row.predicted += *entry.predicted;
      row.padding += padding;
      row.counted += entry.counted;
      const auto bytes = double(entry.counted - padding);
      if (entry.category == "parameters") row.parameter_bytes = bytes;
      if (entry.category == "gradients") row.gradient_bytes = bytes;
      if (entry.category == "optimizer") row.optimizer_bytes = bytes;
    }
    row.activations = peak_bytes(section, Category::kActivations);
    row.model_parameters = budget_.parameters;
    row.card_bytes = budget_.memory;
    record_row(*context_.store.add_section(name + " counted", {}, 1).front(), row);
  }

  void train_size(const Size& size) {
    TrainerConfig trainer = one_step(small_model(budget_.model.text, size.head, size.L), size.s);
    trainer.ranks = 1;
    trainer.batch = size.b;
    const ClassifierConfig& model = trainer.model;
    const std::string title = tr("b {} s {} h {} layers {}", size.b, size.s, model.hidden, size.L);
    const SectionView& section = train_section(trainer, "size " + title, title);
    record_row(*pen_,
               SizeRow{size.b, size.s, model.hidden, model.heads, size.L, kept_by_forward(trace_, section),
                       peak_bytes(section, Category::kActivations), size.fitted});
  }

  const RunContext& context_;
  const Budget budget_;
  Trace trace_;
  TraceRows rows_;
  Recorder* pen_ = nullptr;
  int64_t done_ = 0;
};

}  // namespace

void run(const Config& config, const RunContext& context) { Run(config, context).run(); }

}  // namespace ringside::lessons::fits
