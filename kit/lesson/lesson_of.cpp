#include "ringside/lesson/lesson_of.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blocks.h"
#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/rows.h"
#include "ringside/lesson/timings.h"
#include "ringside/lesson/tr.h"
#include "run_numbers.h"

namespace ringside::inline kit {
namespace {

// Whether all that is named has been recorded: sections, or tables with a row.
bool has_run(const Trace& trace, const std::vector<std::string>& needs) {
  return std::ranges::all_of(needs, [&](const std::string& name) {
    return trace.find(name) != nullptr ||
           std::any_of(trace.sections().begin(), trace.sections().end(),
                       [&](const SectionView& section) { return !section.rows_of(name).empty(); });
  });
}

// The block's field "{:.2f} of {}" with values, one a place; "" without any.
std::function<std::string(const std::vector<Attribute>&)> sentence_of(const TextBlock& block,
                                                                      const char* field) {
  const std::string form = block.text(field), name = fmt::format("{} '{}': '{}'", block.kind, block.id, form);
  return [form, name, places = std::ranges::count(form, '{')](const std::vector<Attribute>& values) {
    if (values.empty()) return std::string();
    RINGSIDE_CHECK(places == std::ssize(values),
                   name << ": places for values: " << places << ", values given: " << values.size());
    fmt::dynamic_format_arg_store<fmt::format_context> all;
    for (const Attribute& one : values)
      std::visit([&](const auto& value) { all.push_back(value); }, one.value());
    try {
      return fmt::vformat(form, all);
    } catch (const fmt::format_error& error) {
      throw InvariantError(fmt::format("{}: {}", name, error.what()));
    }
  };
}

template <typename Result>
Result nothing_of(const NotRun& not_run) {
  if constexpr (std::same_as<Result, ClaimResult>)
    return {Verdict::kNotTestable, not_run.why};
  else if constexpr (std::same_as<Result, figure::Value>)
    return figure::Nothing{not_run.why};
  else
    return {};
}

// f(...), or nothing where it needs what was not run.
template <typename Result, typename... Args>
std::function<Result(Args...)> if_run(std::function<Result(Args...)> f) {
  if (!f) return f;
  return [f = std::move(f)](Args... args) {
    try {
      return f(args...);
    } catch (const NotRun& not_run) {
      return nothing_of<Result>(not_run);
    }
  };
}

// What any training promises; then what the lesson promises besides.
std::function<std::string(const Trace&)> check_of(std::function<std::string(const Trace&)> own) {
  return [own = if_run(std::move(own))](const Trace& trace) {
    int64_t bytes = 0;
    for (const LedgerRow& row : trace.rows().ledger) bytes += std::abs(row.unexplained());
    if (bytes != 0)
      return tr("{} bytes are unexplained; see the ledger rows whose unexplained is not 0", bytes);
    if (trace.rows().outcome.contains("sections_with_disagreeing_ranks"))
      return tr("ranks ended with different parameters");
    return own ? own(trace) : "";
  };
}

// By the field `measured`: a number, or which of its lines is so, one an option.
Measured measured_by(const TextBlock& block) {
  if (block.has("option"))
    return [block](const Trace& trace) { return RunNumbers{block, trace}.first_so("measured"); };
  return [block](const Trace& trace) { return RunNumbers{block, trace}.value(block.text("measured")); };
}

// Puts texts and functions together, block by block.
class Joiner {
 public:
  Joiner(LessonParts& parts, const TextBlocks& blocks) : parts_(parts) {
    const auto& all = blocks.all();
    for (const ParameterSpec& spec : parts.parameters)
      if (std::ranges::none_of(all, [&](const TextBlock& one) { return is_of(one, spec); }))
        made_.parameters.push_back(spec);
    made_.predictions = std::move(parts.predictions);
    for (PredictionSpec& spec : made_.predictions) spec.measured = if_run(std::move(spec.measured));
    made_.run = std::move(parts.run);
    made_.readouts = if_run(std::move(parts.readouts));
    made_.live = if_run(std::move(parts.live));
    made_.opening = std::move(parts.opening);
    made_.summary = std::move(parts.summary);
    made_.step_timer = std::move(parts.step_timer);
    made_.as_processes = parts.as_processes;
    made_.failed_check = check_of(std::move(parts.failed_check));
  }

  void add(TextBlock block) {
    check_fields(block);
    if (block.id == "lesson") return add_words(block);
    for (const std::string& let : lets_) block.fields.emplace_back("let", let);
    if (block.kind == "parameter") return add_parameter(block);
    auto needs = parted(block.text("needs"), ',');
    needs.insert(needs.end(), needs_.begin(), needs_.end());
    if (block.kind == "question") return add_question(block, needs);
    if (block.kind == "claim") return add_claim(block, needs);
    if (block.kind == "figure") return add_figure(block);
    if (block.kind == "gauge") return add_gauge(block, needs);
    if (block.kind == "readout") return readouts_.push_back(std::move(block));
    live_.push_back(std::move(block));
  }

  Lesson finish() {
    const auto all_used = [&](const auto& all) {
      if (!all.empty()) throw InputError("'{}' has a function and no block of text", all.front().id);
    };
    all_used(parts_.questions), all_used(parts_.claims), all_used(parts_.figures), all_used(parts_.gauges);
    if (opening_.has("opening"))
      made_.opening = sentences_of(opening_, "opening", made_.parameters, parts_.symbols);
    if (!readouts_.empty()) made_.readouts = readouts_of(std::move(readouts_));
    if (!live_.empty()) made_.live = live_of(std::move(live_));
    return std::move(made_);
  }

 private:
  static bool is_of(const TextBlock& block, const ParameterSpec& spec) {
    return block.kind == "parameter" && block.id == spec.name;
  }

  // The part of the block's id, taken out; an empty one where there is none.
  template <typename Part>
  static std::optional<Part> take(std::vector<Part>& all, const std::string& id) {
    const auto found = std::ranges::find(all, id, &Part::id);
    if (found == all.end()) return std::nullopt;
    std::optional<Part> part = std::move(*found);
    all.erase(found);
    return part;
  }
  template <typename Part>
  static Part take_needed(std::vector<Part>& all, const TextBlock& block) {
    auto part = take(all, block.id);
    if (!part) throw InputError("[{} {}] has a block of text and no function", block.kind, block.id);
    return std::move(*part);
  }

  void add_parameter(const TextBlock& block) {
    const auto& given = parts_.parameters;
    const auto found = std::ranges::find_if(given, [&](auto& one) { return is_of(block, one); });
    ParameterSpec spec = found == given.end() ? parameter_of(block) : *found;
    if (block.has("default")) spec.default_value = block.text("default");
    if (block.has("most")) spec.maximum = number_of(block, "most", 0);
    for (const auto& [name, check] : parts_.checks)
      if (name == spec.name) spec.validate = check;
    made_.parameters.push_back(std::move(spec));
  }

  void add_words(const TextBlock& block) {
    nothing_ = block.text("nothing");
    if (block.has("untested")) untested_ = block.text("untested");
    needs_ = parted(block.text("needs"), ','), lets_ = block.all("let");
    LessonWords& words = made_.words;
    for (const auto& [field, text] : {std::pair{"starting", &words.starting},
                                      {"watch", &words.watch},
                                      {"axis", &words.x_axis},
                                      {"step", &words.step}})
      if (block.has(field)) *text = block.text(field);
    opening_ = block;
  }

  void add_question(const TextBlock& block, const std::vector<std::string>& needs) {
    QuestionOf part = take(parts_.questions, block.id).value_or(QuestionOf{});
    if (block.has("measured")) part.measured = measured_by(block);
    const std::string context = part.context;
    PredictionSpec spec = question_of(block, std::move(part), made_.parameters, parts_.symbols);
    if (!context.empty()) spec.context = context;
    if (spec.words && spec.words->measured)
      spec.words->measured = when_run(needs, std::move(spec.words->measured));
    if (spec.measured) spec.measured = when_run(needs, std::move(spec.measured));
    made_.predictions.push_back(std::move(spec));
  }

  // f(trace), or nothing where what it needs is not there.
  template <typename Result>
  static std::function<Result(const Trace&)> when_run(const std::vector<std::string>& needs,
                                                      std::function<Result(const Trace&)> f) {
    return [needs, f = if_run(std::move(f))](const Trace& trace) {
      return has_run(trace, needs) ? f(trace) : Result();
    };
  }

  void add_claim(const TextBlock& block, const std::vector<std::string>& needs) {
    const TimeClaim times{
        block.text("section"),         block.text("slow"), block.text("fast"), number_of(block, "least", 0),
        number_of(block, "most", 1e9), block.text("found")};
    const std::function by_text = [block](const Trace& trace) { return RunNumbers{block, trace}.judged(); };
    const auto judge = when_run(needs, block.has("holds")    ? by_text
                                       : !times.slow.empty() ? judge_times(times)
                                                             : take_needed(parts_.claims, block).judge);
    made_.claims.push_back(
        {block.id, block.text("source"), block.text("says"),
         [judge, found = sentence_of(block, "found"), untested = untested_](const Trace& trace) {
           ClaimResult result = judge(trace);
           if (result.evidence.empty()) result.evidence = found(result.values);
           if (result.verdict == Verdict::kNotTestable && result.evidence.empty()) result.evidence = untested;
           return result;
         }});
  }

  void add_figure(const TextBlock& block) {
    const bool is_data = block.has("table") || block.has("curves") || block.has("lines");
    FigureOf part = is_data ? take(parts_.figures, block.id).value_or(FigureOf{block.id})
                            : take_needed(parts_.figures, block);
    if (is_data) part.value = value_of(block, part.marks ? part.marks : marks_of(block));
    FigureSpec spec{block.id, block.text("title"), if_run(std::move(part.value))};
    const std::string nothing = block.has("nothing") ? block.text("nothing") : nothing_;
    if (!nothing.empty())
      spec.value = [of = std::move(spec.value), nothing](const FigureInput& input) {
        figure::Value value = of(input);
        const auto* said = std::get_if<figure::Nothing>(&value);
        const bool is_said = said != nullptr && !said->why.empty();
        return is_said ? value : figure::or_nothing(std::move(value), nothing);
      };
    spec.sentence = if_run(std::move(part.sentence.text));
    if (part.sentence.values)
      spec.sentence = [said = sentence_of(block, "sentence"),
                       values = if_run(std::move(part.sentence.values))](const FigureInput& input) {
        return said(values(input));
      };
    else if (!spec.sentence && block.has("sentence"))
      spec.sentence = if_run(std::function([block](const FigureInput& input) {
        return RunNumbers{block, input.trace, &input}.said(block.text("sentence"));
      }));
    spec.section = block.text("section");
    spec.follows_playhead = block.text("shows") == "instant";
    spec.of_configuration = block.text("shows") == "scenario";
    spec.answers = block.words("answers");
    spec.tab = block.text("tab");
    spec.group =
        block.has("group") || made_.figures.empty() ? block.text("group") : made_.figures.back().group;
    spec.live = parted(block.text("live"), '|');
    spec.matters = parted(block.text("matters"), '|');
    made_.figures.push_back(std::move(spec));
  }

  void add_gauge(const TextBlock& block, const std::vector<std::string>& needs) {
    const auto by_text = [block](const FigureInput& input) {
      return RunNumbers{block, input.trace, &input}.value(block.text("value"));
    };
    const auto value =
        if_run(block.has("value") ? GaugeValue(by_text).of : take_needed(parts_.gauges, block).value.of);
    made_.gauges.push_back({block.text("name"), block.text("unit"),
                            [needs, value](const FigureInput& input) -> std::optional<double> {
                              if (!has_run(input.trace, needs)) return std::nullopt;
                              const auto found = value(input);
                              return found && !std::isfinite(*found) ? std::nullopt : found;
                            }});
  }

  LessonParts& parts_;
  Lesson made_;
  std::string nothing_, untested_ = tr("it was not run");
  std::vector<std::string> needs_, lets_;
  std::vector<TextBlock> readouts_, live_;
  TextBlock opening_;
};

}  // namespace

Lesson lesson_of(std::string_view texts, LessonParts parts) {
  const TextBlocks blocks(texts);
  Joiner joiner(parts, blocks);
  for (const TextBlock& block : blocks.all()) joiner.add(block);
  return joiner.finish();
}

}  // namespace ringside::inline kit
