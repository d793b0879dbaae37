// `ringside plan explain`: which gradients a collective of so many elements can have carried.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "commands.h"
#include "plan_page.h"
#include "plan_words.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"

namespace ringside {
namespace {

constexpr size_t kMostShown = 12;  // hits in the text
constexpr size_t kIndent = 4;

ExplainOptions question_of(const PlanOptions& plan) {
  ExplainOptions question;
  question.number = plan.number;
  if (plan.lm_head) question.head = ModelHead::Kind::kLanguageModel;
  question.classes = plan.classes;
  if (plan.head_bias) question.bias = true;
  question.bucket_size = plan.bucket_size;
  question.freeze_vision = plan.freeze_vision;
  return question;
}

// ---- JSON ---------------------------------------------------------------------

Json hit_json(const RunHit& hit) {
  Json bounds = nullptr;
  if (hit.is_first) bounds = {{"least", or_null(hit.least_size)}, {"most", or_null(hit.most_size)}};
  Json next = nullptr;
  if (hit.next_elements > 0) next = tensor_json(hit.next, hit.next_elements);
  return {{"order", to_string(hit.order)},
          {"flushed", hit.flushed},
          {"coincidence", hit.coincidence},
          {"first_of_pass", hit.is_first},
          {"classes", or_null(hit.classes)},
          {"head_bias", hit.classes ? Json(hit.bias) : Json(nullptr)},
          {"tensors", hit.tensors},
          {"first", hit.first},
          {"last", hit.last},
          {"pieces", pieces_json(hit.pieces)},
          {"next", next},
          {"bucket_size", bounds}};
}

Json family_json(const RunFamily& family) {
  return {{"order", to_string(family.order)},
          {"head", family.has_head},
          {"head_bias", family.has_head ? Json(family.bias) : Json(nullptr)},
          {"candidates", family.candidates},
          {"hits", family.hits},
          {"flushed", family.flushed},
          {"expected_hits", family.expected_hits},
          {"expected_flushed", family.expected_flushed}};
}

Json otherwise_json(const SentOtherwise& sent) {
  return {{"order", to_string(sent.order)},
          {"parameter_groups", sent.parameter_groups},
          {"destinations", sent.destinations},
          {"rank", sent.destinations > 0 ? Json(sent.rank) : Json(nullptr)},
          {"head_bias", sent.bias},
          {"bucket_elements", sent.bucket_elements},
          {"pieces", pieces_json(sent.pieces)}};
}

void explain_json(const PlanOptions& plan, const ModelConfig& config, const Explanation& found,
                  std::ostream& out) {
  const Json batches = array_of(found.hidden.plausible, [](const auto& shape) {
    return Json{{"batch", shape.batch}, {"length", shape.length}};
  });
  write_json({{"schema", kJsonSchema},
              {"plan", "explain"},
              {"setup",
               {{"number", found.number},
                {"config", config.source},
                {"model_type", to_string(config.family)},
                {"head", plan.lm_head ? "lm_head" : "classes"},
                {"classes", or_null(plan.classes)},
                {"head_bias", plan.head_bias ? Json(true) : Json(nullptr)},
                {"freeze_vision", plan.freeze_vision},
                {"bucket_size", found.bucket_size}}},
              {"explained", found.is_explained()},
              {"hit_count", found.hit_count},
              {"flushed_count", found.flushed_count},
              {"hits", array_of(found.hits, hit_json)},
              {"sent_otherwise", array_of(found.otherwise, otherwise_json)},
              {"families", array_of(found.families, family_json)},
              {"hidden_states",
               {{"hidden", found.hidden.hidden},
                {"rows", found.hidden.rows},
                {"remainder", found.hidden.remainder},
                {"batches", batches}}}},
             out);
}

// ---- Text ---------------------------------------------------------------------

std::string behind(const Explanation& found, const RunHit& hit) {
  if (hit.next.empty()) return "the last of the pass";
  const std::string next = "next, " + tensor_words(hit.next);
  if (hit.next_elements == 0) return next + ", of a size that is not known";
  const int64_t with = found.number + hit.next_elements;
  if (with <= found.bucket_size)
    return fmt::format("{} {}, still fits: {} <= {}", next, format_count(hit.next_elements),
                       format_count(with), format_count(found.bucket_size));
  return fmt::format("{} {}, would make {} > {}", next, format_count(hit.next_elements), format_count(with),
                     format_count(found.bucket_size));
}

void show_hit(const Explanation& found, const RunHit& hit, bool classes_are_free, PlanPage& out) {
  std::string head;
  if (hit.classes)
    head = fmt::format(", {} {} {} bias", format_count(*hit.classes), *hit.classes == 1 ? "class" : "classes",
                       hit.bias ? "with" : "without");
  else if (classes_are_free && hit.flushed && hit.order == GradientOrder::kBackward)
    head = ", behind a head of some sizes";
  out.line(fmt::format("{}{}: {}", to_string(hit.order), head, sum_words(hit.pieces)), kIndent);
  std::string why = behind(found, hit);
  const bool fits = hit.tensors == 1 || found.number <= found.bucket_size;
  const bool full = hit.next_elements == 0 || found.number + hit.next_elements > found.bucket_size;
  if (!hit.flushed && !fits) why = "larger than a bucket; " + why;
  if (!hit.flushed && fits && full) why = "no bucket starts at " + tensor_words(hit.first) + "; " + why;
  out.line(why, 2 * kIndent);
  if (!hit.least_size) return;
  const std::string most = hit.most_size ? " <= " + format_count(*hit.most_size) : "";
  out.line("first of the pass where " + format_count(*hit.least_size) + " <= reduce_bucket_size" + most,
           2 * kIndent);
}

// Those of one kind, `all` of them.
void show_hits(const Explanation& found, bool flushed, bool coincidence, int64_t all, PlanPage& out,
               bool classes_are_free) {
  size_t shown = 0;
  for (const RunHit& hit : found.hits) {
    if (hit.flushed != flushed || hit.coincidence != coincidence) continue;
    if (++shown <= kMostShown) show_hit(found, hit, classes_are_free, out);
  }
  if (all > int64_t(kMostShown))
    out.line("and " + format_count(all - int64_t(kMostShown)) + " more", kIndent);
}

void show_otherwise(const Explanation& found, PlanPage& out) {
  if (found.otherwise.empty()) return;
  out << (found.flushed_count > found.coincidences ? "\n" : "") << "A reducer with other settings sends it\n";
  for (size_t i = 0; i < std::min(found.otherwise.size(), kMostShown); ++i) {
    const SentOtherwise& sent = found.otherwise[i];
    const std::string groups = sent.parameter_groups == 2 ? ", --parameter-groups 2" : "";
    const std::string part =
        sent.destinations == 0
            ? ""
            : fmt::format(", --destinations {}: rank {}'s part of the bucket of {}", sent.destinations,
                          sent.rank, format_count(sent.bucket_elements));
    out.line(fmt::format("{} order{}{}: {}", to_string(sent.order), groups, part, sum_words(sent.pieces)),
             kIndent);
  }
  if (found.otherwise.size() > kMostShown)
    out.line(fmt::format("and {} more; --json has them all", found.otherwise.size() - kMostShown), kIndent);
}

void show_hidden(const Explanation& found, PlanPage& out) {
  const HiddenStates& states = found.hidden;
  const std::string H = format_count(states.hidden);
  out << "\nHidden states of any batch and length, " << H << " wide?\n";
  if (states.remainder != 0) {
    out.line(fmt::format("no: {} = {} × {} + {}", format_count(found.number), format_count(states.rows), H,
                         format_count(states.remainder)),
             kIndent);
    return;
  }
  std::string shapes;
  size_t shown = 0;
  for (const auto& shape : states.plausible) {
    if (++shown > kMostShown) break;
    shapes += fmt::format("{}{} × {}", shapes.empty() ? "" : ", ", shape.batch, format_count(shape.length));
  }
  if (shown > kMostShown) shapes += fmt::format(" and {} more", states.plausible.size() - kMostShown);
  out.line(fmt::format("the size allows it: {} rows; batch × length {}", format_count(states.rows),
                       shapes.empty() ? "of no usual size" : shapes),
           kIndent);
}

void show_families(const Explanation& found, PlanPage& out) {
  std::vector<std::vector<std::string>> rows;
  for (const RunFamily& family : found.families)
    rows.push_back({std::string(to_string(family.order)),
                    family.has_head ? (family.bias ? "head, bias" : "head") : "no head",
                    fmt::format("{:.3g}", family.candidates), format_count(family.hits),
                    fmt::format("{:.2g}", family.expected_hits), format_count(family.flushed),
                    fmt::format("{:.2g}", family.expected_flushed)});
  out << "\nHow sure\n";
  out.table({"order", "head", " runs tried", " add up", " by chance", " sent", " by chance"}, rows);
  out.line(
      "by chance: how many matches a random number between 0.5 and 1.5 times this one would have. Sizes of "
      "a model share factors, so one true sum has relatives; the flush rule tells them apart.",
      kIndent);
}

void explain_text(const PlanOptions& plan, const ModelConfig& config, const Explanation& found,
                  PlanPage& out) {
  const std::string bias = plan.head_bias ? "a bias" : "or without a bias";
  const std::string head =
      plan.lm_head ? "lm_head"
                   : (plan.classes ? format_count(*plan.classes) : "1 to " + format_count(kMostClasses)) +
                         " classes, with " + bias;
  out.line(fmt::format("{} elements among the gradients of {}   head: {}   reduce_bucket_size {}",
                       format_count(found.number), to_string(config.family), head,
                       format_count(found.bucket_size)));
  out << '\n';
  const bool classes_are_free = !plan.classes && !plan.lm_head;
  const int64_t facts = found.flushed_count - found.coincidences,
                rest = found.hit_count - found.flushed_count;
  if (facts > 0)
    out << "A reducer with this bucket size sends it as\n";
  else if (!found.is_explained())
    out << "unexplained: a reducer with this bucket size sends no bucket of that many elements\n";
  show_hits(found, true, false, facts, out, classes_are_free);
  show_otherwise(found, out);
  if (found.coincidences > 0) {
    out << "\nA coincidence: at the end of a pass some number of classes often fits; give --classes\n";
    show_hits(found, true, true, found.coincidences, out, classes_are_free);
  }
  if (rest > 0) {
    out << (facts > 0 ? "\nAdds up too, but is not what it sends\n"
                      : "\nAdds up, but is not what it sends\n");
    show_hits(found, false, false, rest, out, classes_are_free);
  }
  show_hidden(found, out);
  show_families(found, out);
}

}  // namespace

ExitCode plan_explain(const Options& options, std::ostream& out) {
  const ModelConfig config = read_model_config(*options.plan.config_file);
  const Explanation found = explain_number(config, question_of(options.plan));
  PlanPage page{out, size_t(summary_width(options))};
  options.json ? explain_json(options.plan, config, found, out)
               : explain_text(options.plan, config, found, page);
  return ExitCode::kOk;
}

}  // namespace ringside
