// HSDP beside stage 3: what crosses from node to node, and what each rank keeps for it. no_sync beside both.
#include <cmath>

#include "parts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/rows.h"
#include "ringside/lesson/tr.h"

namespace ringside::hybrid_lesson {
namespace {

double N(const Config& config) { return config.real("ranks"); }
double M(const Config& config) { return config.real("replicas"); }
double g(const Config& config) { return config.real("accumulate"); }

// ---- Questions --------------------------------------------------------------------------------------------

PredictionSpec question(const char* id, std::string asked, std::string unit,
                        std::function<double(const Config&)> right, std::vector<WrongFormula> wrong) {
  PredictionSpec spec{.id = id, .question = std::move(asked), .unit = std::move(unit), .formula = right};
  for (WrongFormula& one : wrong)  // left out where the scenario makes it right
    one.value = [right, value = one.value](const Config& config) {
      return tells_apart(right(config), value(config)) ? value(config) : NAN;
    };
  spec.wrong = std::move(wrong);
  return spec;
}

PredictionSpec ask_between() {
  PredictionSpec spec = question(
      "between", tr("HSDP: how many elements does a rank send to other nodes in a step, in Ψ?"), "Ψ",
      [](const Config& c) { return 2 * (M(c) - 1) / N(c); },
      {{tr("nothing crosses"),
        [](const Config&) { return 0.0; },
        {},
        tr("Each node has seen other samples. Without a sum over the nodes their copies would drift apart.")},
       {tr("the gathers cross too"),
        [](const Config& c) { return 3 * (N(c) - 1) / N(c); },
        {},
        tr("That is stage 3 over all ranks. In HSDP every shard of the parameters lies in the own node.")},
       {tr("whole gradients are all-reduced"),
        [](const Config& c) { return 2 * (M(c) - 1) / M(c); },
        {},
        tr("After the reduce-scatter inside the node a rank holds its shard of the sum, and sends only "
           "that.")},
       {tr("a reduce-scatter is enough"),
        [](const Config& c) { return (M(c) - 1) / N(c); },
        {},
        tr("Each node updates a copy of its own, so each needs the whole sum of the shard: an "
           "all-reduce.")}});
  spec.name = tr("bytes between nodes");
  spec.context =
      tr("M nodes of N/M ranks; each node holds the whole model, cut over its ranks. Gradients and "
         "parameters are "
         "counted, for one micro-batch a step.");
  spec.measured = [](const Trace& trace) -> std::optional<double> {
    const auto sent = sent_over_links(trace, nodes_of(trace));
    return sent ? std::optional(sent->between) : std::nullopt;
  };
  spec.why = tr(
      "A rank holds M/N of the summed gradients. It all-reduces them with the M-1 ranks that hold the same "
      "shard: 2(M-1)/M times M/N, which is 2(M-1)/N of Ψ.");
  spec.more = tr("More ranks in a node change nothing for the node: together they send 2(M-1)/M of Ψ.");
  return spec;
}

PredictionSpec ask_memory() {
  PredictionSpec spec = question(
      "memory", tr("HSDP: how many bytes of state does a rank keep for each parameter of the model?"),
      tr("bytes a parameter"), [](const Config& c) { return 16 * M(c) / N(c); },
      {{tr("memory stays 1/N"),
        [](const Config& c) { return 16 / N(c); },
        {},
        tr("Then a node would lack shards, and gathers would have to cross.")},
       {tr("a whole copy on each rank"),
        [](const Config&) { return 16.0; },
        {},
        tr("The copy is the node's. Its ranks share it.")},
       {tr("only parameters are kept once a node"),
        [](const Config& c) { return (2 * M(c) + 14) / N(c); },
        {},
        tr("That is hpZ of ZeRO++. HSDP keeps gradients and optimizer state once a node as well.")}});
  spec.name = tr("memory");
  spec.context = tr("bf16 with an fp32 master and AdamW: 16 bytes a parameter in all.");
  spec.measured = [](const Trace& trace) { return bytes_at(trace, section_of(nodes_of(trace)), kAfterStep); };
  spec.why = tr("A copy of the model is cut over the N/M ranks of a node, no longer over all N.");
  return spec;
}

PredictionSpec ask_no_sync() {
  PredictionSpec spec = question(
      "no_sync", tr("Stage 3, g micro-batches, no_sync: how many elements does a rank send in a step, in Ψ?"),
      "Ψ", [](const Config& c) { return (2 * g(c) + 1) * (N(c) - 1) / N(c); },
      {{tr("nothing is sent before the last micro-batch"),
        [](const Config& c) { return 3 * (N(c) - 1) / N(c); },
        {},
        tr("no_sync is about gradients. Parameters are gathered and dropped in every micro-batch.")},
       {tr("as in stage 1"),
        [](const Config& c) { return 2 * (N(c) - 1) / N(c); },
        {},
        tr("Stage 1 keeps its parameters whole. Stage 3 has to gather them, twice a micro-batch.")},
       {tr("it saves nothing in stage 3"),
        [](const Config& c) { return 3 * g(c) * (N(c) - 1) / N(c); },
        {},
        tr("The reductions of all micro-batches but the last are saved: g-1 of them.")}});
  spec.name = tr("no_sync");
  spec.context =
      tr("g is accumulate; N ranks in one group. Gradients are reduced after the last micro-batch.");
  spec.measured = [](const Trace& trace) { return sent(trace, kNoSync); };
  spec.why = tr("Two gathers a micro-batch stay, and one reduce-scatter a step: (2g+1)(N-1)/N of Ψ.");
  return spec;
}

// ---- Claims -----------------------------------------------------------------------------------------------

const std::string kFsdp = "PyTorch, FullyShardedDataParallel", kBelief = "a common belief";

ClaimResult gathers_stay_inside(const Trace& trace) {
  const auto hybrid = sent_over_links(trace, nodes_of(trace)), plain = sent_over_links(trace, 1);
  if (!hybrid || !plain) return not_testable(tr("it has not run"));
  return holds_if(hybrid->parameters_between == 0 && plain->parameters_between > 0,
                  tr("parameters that cross, a rank and step: {:.3g} Ψ; in stage 3 {:.3g} Ψ",
                     hybrid->parameters_between, plain->parameters_between));
}

ClaimResult one_all_reduce_of_a_shard(const Trace& trace) {
  const auto hybrid = sent_over_links(trace, nodes_of(trace));
  if (!hybrid) return not_testable(tr("it has not run"));
  const auto ranks = static_cast<double>(hybrid->by_link.size()),
             nodes = static_cast<double>(nodes_of(trace));
  const double expected = 2 * (nodes - 1) / ranks;
  return holds_if(std::abs(hybrid->between - expected) < 0.01 * expected,
                  tr("{:.3g} Ψ cross, 2(M-1)/N is {:.3g} Ψ", hybrid->between, expected));
}

ClaimResult memory_stays(const Trace& trace) {
  const auto hybrid = bytes_at(trace, section_of(nodes_of(trace)), kAfterStep);
  const auto plain = bytes_at(trace, section_of(1), kAfterStep);
  if (!hybrid || !plain) return not_testable(tr("it has not run"));
  return holds_if(*hybrid < 1.01 * *plain,
                  tr("{:.2f} bytes a parameter, {:.2f} in stage 3 over all ranks", *hybrid, *plain));
}

std::string in_words(const BitRow& row) { return tr("step {}, {}, {} ulp", row.step, row.tensor, row.ulps); }

ClaimResult changes_no_bit(const Trace& trace) {
  const auto rows = rows_in<BitRow>(trace);
  if (rows.size() < 2) return not_testable(tr("it has not run"));
  if (!rows[0].tensor.empty()) return holds_if(false, tr("not its own order's: {}", in_words(rows[0])));
  if (rows[1].tensor.empty()) return holds_if(true, tr("all bits are equal"));
  return {Verdict::kPartly,
          tr("the bits of one process that adds in HSDP's order; stage 3 over all ranks adds "
             "in another one and differs first at {}",
             in_words(rows[1]))};
}

ClaimResult trades_bytes_for_memory(const Trace& trace) {
  const auto with = sent(trace, kSynced), without = sent(trace, kNoSync);
  const auto shard = bytes_at(trace, kSynced, kStepEntry, "gradients");
  const auto whole = bytes_at(trace, kNoSync, kBetweenMicroBatches, "gradients");
  if (!with || !without || !shard || !whole) return not_testable(tr("it has not run"));
  return holds_if(*without<*with&& * whole> * shard,
                  tr("sent {:.2f} instead of {:.2f} Ψ; gradients between micro-batches {:.2f} instead of "
                     "{:.2f} bytes a parameter",
                     *without, *with, *whole, *shard));
}

ClaimResult one_order(const Trace& trace) {
  const auto rows = rows_where<BitRow>(trace, [](const BitRow& row) { return row.run.ends_with("no_sync"); });
  if (rows.empty()) return not_testable(tr("it has not run"));
  size_t equal = 0;
  for (const BitRow& row : rows) equal += row.tensor.empty();
  return holds_if(equal == rows.size(), tr("{} of {} stages have the bits", equal, rows.size()));
}

}  // namespace
}  // namespace ringside::hybrid_lesson

namespace ringside::lessons::hybrid {

Lesson make_lesson() {
  using namespace hybrid_lesson;
  Lesson lesson;
  lesson.parameters = {
      number("ranks", "N, ranks as threads", "ranks", "4", 2, 8),
      number("replicas", "M, nodes; with HSDP each holds the whole model", "nodes", "2", 2, 8),
      number("accumulate", "g, micro-batches a step, for no_sync", "micro-batches", "4", 2, 16)};
  lesson.predictions = {ask_between(), ask_memory(), ask_no_sync()};
  lesson.claims = {
      {"inside", kFsdp + ", HYBRID_SHARD", tr("HSDP gathers parameters inside a node"), gathers_stay_inside},
      {"shard", "MiCS, arXiv:2205.00119", tr("between nodes goes one all-reduce of a shard"),
       one_all_reduce_of_a_shard},
      {"memory", kBelief, tr("HSDP keeps as little as stage 3"), memory_stays},
      {"bits", kBelief, tr("HSDP changes no bit of stage 3's result"), changes_no_bit},
      {"no_sync", kFsdp + ", no_sync", tr("no_sync saves communication and costs memory"),
       trades_bytes_for_memory},
      {"order", "this project's emulation", tr("with no_sync all stages add in stage 0's order"), one_order}};
  lesson.figures = figures();
  lesson.gauges = gauges();
  lesson.run = run;
  lesson.failed_check = [](const Trace& trace) {
    if (const int64_t bytes = unexplained_bytes(trace.rows().ledger); bytes != 0)
      return tr("{} bytes are unexplained", bytes);
    return trace.rows().outcome.contains("sections_with_disagreeing_ranks")
               ? tr("ranks ended with different parameters")
               : std::string();
  };
  return lesson;
}

}  // namespace ringside::lessons::hybrid
