// What is asked, over every scenario that a learner may come to: no run, formulas only.
#include "ringside/lesson/word_question.h"
#include "run_lesson.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

const PredictionSpec& question(const std::string& id) { return question_of(lesson(), id); }

// Those that are answered by a number or a formula.
std::vector<PredictionSpec> numbers() {
  std::vector<PredictionSpec> all = lesson().predictions;
  std::erase_if(all, [](const PredictionSpec& spec) { return spec.words.has_value(); });
  return all;
}

Config scenario(const std::vector<std::string>& words) { return scenario_of(lesson(), words); }

std::vector<Config> every_scenario() {
  std::vector<Config> all;
  for (const int ranks : {1, 2, 3, 8})
    for (const int accumulate : {1, 5})
      for (const char* precision : {"precision=bf16", "precision=fp32"})
        for (const char* reduce : {"reduce=reduce_scatter", "reduce=all_reduce"})
          for (const char* reshard : {"reshard=on", "reshard=off"})
            all.push_back(scenario({"ranks=" + std::to_string(ranks),
                                    "accumulate=" + std::to_string(accumulate), precision, reduce, reshard}));
  return all;
}

double typed(const PredictionSpec& spec, const Config& config, const std::string& text) {
  const std::vector<Symbol> symbols = spec.symbols(config);
  return read_as(Formula::parse(text, symbols), symbols).value(symbols);
}

std::string names_of(const PredictionSpec& spec, const Config& config, double answer) {
  std::string names;
  for (const WrongAnswer& wrong : named_wrong(spec, config, answer)) names += wrong.name + "\n";
  return names;
}

}  // namespace

TEST_CASE("the text of a formula says what the formula says, right and wrong, in every scenario") {
  for (const Config& config : every_scenario()) {
    INFO(config.scenario());
    for (const PredictionSpec& spec : numbers()) {
      INFO(spec.id);
      const std::string right = spec.formula_text(config);
      CHECK(typed(spec, config, right) == Approx(spec.formula(config)));
      CHECK(judge(spec, config, Formula::parse(right, spec.symbols(config))).right);
      for (const WrongFormula& wrong : spec.wrong) {
        if (std::isfinite(wrong.value(config)))
          CHECK(typed(spec, config, wrong.text(config)) == Approx(wrong.value(config)));
        else
          CHECK(wrong.text(config).empty());
      }
    }
  }
}

TEST_CASE("what may be asked of how many ranks, and again elsewhere with another answer") {
  for (const Config& config : every_scenario()) {
    INFO(config.scenario());
    for (const PredictionSpec& spec : numbers()) {
      INFO(spec.id);
      const int64_t least = spec.id.starts_with("sent") ? 3 : 2;  // of two, a broadcast sends as much
      CHECK(askable(spec, config) == (config.integer("ranks") >= least));
    }
  }
  const Config here = scenario({});
  for (const PredictionSpec& spec : numbers()) {
    REQUIRE(!spec.again.empty());
    for (const std::string& word : spec.again) {
      INFO(spec.id << " at " << word);
      CHECK(askable(spec, scenario({word})));
    }
    CHECK(spec.section.starts_with("stage "));
  }
}

TEST_CASE("the first question is about copies; blocks add up; what people write is understood") {
  const PredictionSpec& spec = lesson().predictions.front();
  CHECK(spec.id == "copies_stage_0");
  CHECK(spec.formula(scenario({"ranks=4"})) == 75);
  CHECK(spec.formula(scenario({"ranks=8"})) == 87.5);
  CHECK(names_of(spec, scenario({"ranks=4"}), 100).starts_with("all of it"));
  CHECK(names_of(spec, scenario({"ranks=2"}), 50) == "");
  for (const Config& config : every_scenario())
    for (int stage = 1; stage <= 3; ++stage) {
      const PredictionSpec& state = question("state_stage_" + std::to_string(stage));
      double whole = 0, right = 0;
      std::string letters;
      for (const StateBlock& block : state.blocks(config)) {
        whole += block.whole;
        right += block.right;
        letters += block.letter;
        double parts = 0;
        for (const auto& [name, bytes] : block.parts) parts += bytes;
        if (!block.parts.empty()) CHECK(parts == Approx(block.whole));
      }
      CHECK(letters == "PGO");
      CHECK(whole == Approx(16));
      CHECK(right == Approx(state.formula(config)));
    }
  const Config four = scenario({"ranks=4"});
  const PredictionSpec& state = question("state_stage_2");
  for (const char* text : {"2P+14P/N", "2Ψ + 14Ψ/N", "P + (G+O)/N", "P+(G+K)/4", "2psi + (2+12)psi/n", "5.5"})
    CHECK(typed(state, four, text) == 5.5);
  CHECK(typed(question("sent_stage_3"), four, "3Ψ(N-1)/N") == 2.25);
  CHECK(typed(question("sent_stage_0"), four, "2Ψ(N-1)/N") == 1.5);
  CHECK(names_of(state, four, typed(state, four, "2P+10P/N")).starts_with("the fp32 master copy"));
}

TEST_CASE("each question has a name and says why; words are asked last, of one board") {
  for (const PredictionSpec& spec : lesson().predictions) {
    INFO(spec.id);
    for (const std::string* text : {&spec.name, &spec.why, &spec.more, &spec.instant})
      CHECK_FALSE(text->empty());
    const auto config = scenario({});
    for (const WrongWords& wrong : spec.words ? spec.words->wrong(config) : std::vector<WrongWords>{})
      CHECK_FALSE(wrong.why.empty());
    for (const WrongFormula& wrong : spec.wrong) {
      INFO(wrong.name);
      CHECK_FALSE(wrong.why.empty());
      CHECK(wrong.name.find(':') == std::string::npos);  // it stands behind "Your error has a name:"
    }
  }
  const auto& all = lesson().predictions;
  for (size_t i = 0; i < all.size(); ++i) CHECK(all[i].words.has_value() == (i + 3 >= all.size()));
  for (const Config& config : every_scenario())
    for (const PredictionSpec& spec : all) {
      if (!spec.words) continue;
      INFO(spec.id << " at " << config.scenario());
      CHECK(contradiction_in(spec, config).empty());
      CHECK(askable(spec, config));
      CHECK(spec.words->options(config).size() == spec.words->wrong(config).size() + 1);
      CHECK(spec.board == "choice");
    }
  const Config config = scenario({"ranks=4", "accumulate=2"});
  const PredictionSpec& spec = question("sent_stage_0");
  CHECK(names_of(spec, config, 3.0) ==
        "reduced in every micro-batch\nbytes, where elements were asked for\n");
}
