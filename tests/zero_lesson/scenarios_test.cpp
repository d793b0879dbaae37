#include "ringside/figures/page.h"
#include "ringside/trace/measure.h"
#include "ringside/trace/training_rows.h"
#include "run_lesson.h"

using namespace ringside;
using namespace ringside::testing;

// Every run takes all stages; the one that it names goes first.
TEST_CASE("Any number of ranks: no byte unexplained, each claim judged", "[mix]") {
  const int ranks = GENERATE(1, 2, 3, 5, 8);  // four have tests of their own
  const std::string stage = std::to_string(ranks % 4);
  const Trace& trace = run_small({"ranks=" + std::to_string(ranks), "stage=" + stage});
  INFO("ranks " << ranks << " stage " << stage);
  CHECK(trace.complete());
  CHECK(unexplained_of(trace) == 0);
  CHECK(lesson().failed_check(trace) == "");
  CHECK(trace.rows().claims.size() == lesson().claims.size());
  for (const ClaimRow& claim : trace.rows().claims) CHECK(!claim.evidence.empty());
  const std::string holds = ranks == 1 ? "not_testable" : "holds";
  for (const char* id : {"memory_falls", "paper_volumes", "all_reduce_costs_more", "accumulation_costs"}) {
    INFO(id << ": " << evidence_of(trace, id));
    CHECK(verdict_of(trace, id) == holds);
  }
  CHECK(verdict_of(trace, "more_communication") == (ranks == 1 ? "not_testable" : "partly"));
  CHECK(verdict_of(trace, "fetched_and_dropped") == "holds");
  CHECK(verdict_of(trace, "broadcast") == (ranks == 1 ? "not_testable" : "partly"));
  CHECK(verdict_of(trace, "every_use") == (ranks == 1 ? "not_testable" : "fails"));
}

TEST_CASE("The figures of four ranks", "[figures]") {
  // Everything divides by four but the buckets' last few elements.
  const Trace& trace = run_small({"ranks=4", "hidden=32", "layers=2"});
  const auto& outcome = trace.rows().outcome;
  const double state[] = {16, 7, 5.5, 4}, sent[] = {1.5, 1.5, 1.5, 2.25};
  for (int stage = 0; stage <= 3; ++stage) {
    const std::string key = "stage_" + std::to_string(stage) + "_";
    CHECK(outcome.at(key + "state_bytes_per_parameter") == Approx(state[stage]).epsilon(1e-3));
    CHECK(outcome.at(key + "sent_psi_per_step") == Approx(sent[stage]).epsilon(1e-3));
  }
}

TEST_CASE("Other precisions, reductions, accumulations and batches keep their books") {
  const std::vector<std::string> words = GENERATE(values<std::vector<std::string>>({
      {"ranks=2", "precision=fp32", "accumulate=4", "reduce=all_reduce", "check=off", "seed=5"},
      {"ranks=2", "overlap=off", "prefetch=off", "bucket=1", "accumulate=3"},
      {"ranks=5", "batch=2", "precision=fp32", "bucket=64Mi"},  // ranks without a sample
      {"ranks=6", "mesh=tp2,dp3", "sequence=on", "accumulate=2"},
  }));
  const Trace& trace = run_small(words);
  INFO(trace.scenario());
  CHECK(unexplained_of(trace) == 0);
  CHECK(lesson().failed_check(trace) == "");
  for (const char* id : {"memory_falls", "paper_volumes", "all_reduce_costs_more", "accumulation_costs",
                         "fetched_and_dropped"}) {
    INFO(id << ": " << evidence_of(trace, id));
    CHECK(verdict_of(trace, id) == "holds");
  }
}

TEST_CASE("reshard=off sends as little as stage 2, holds every layer at once, and changes no bit") {
  const Trace& on = run_small({"ranks=4", "hidden=32", "layers=2"});  // reshard=on
  const Trace& off = run_small({"ranks=4", "hidden=32", "layers=2", "reshard=off"});
  CHECK(unexplained_of(off) == 0);
  CHECK(lesson().failed_check(off) == "");
  CHECK(off.rows().outcome.at("stage_3_sent_psi_per_step") == Approx(1.5).epsilon(1e-3));
  CHECK(off.rows().outcome_text.at("stage_3_parameters_sha256") ==
        on.rows().outcome_text.at("stage_3_parameters_sha256"));
  const auto peak = [](const Trace& trace) {
    for (const LedgerRow& row : trace.rows().ledger) {
      if (row.section == "stage 3" && row.rank == 1 && row.category == "parameters" && row.at == "peak")
        return static_cast<double>(row.counted) / 2 / psi_of(trace);
    }
    return 0.0;
  };
  CHECK(peak(off) == Approx(1.25).epsilon(1e-2));  // its shard, and all of them whole
  CHECK(peak(on) < 1.1);
  for (const char* id : {"paper_volumes", "accumulation_costs", "memory_falls"})
    CHECK(verdict_of(off, id) == "holds");
  CHECK(verdict_of(off, "fetched_and_dropped") == "partly");
  for (const PredictionRow& row : off.rows().predictions)
    if (row.id == "sent_stage_3") CHECK(row.answer == Approx(1.5).epsilon(1e-3));
}

TEST_CASE("Overlap on and off take turns, nine rounds or as many as there are steps") {
  for (const auto& [steps, rounds] : {std::pair(12, 9), {4, 4}}) {
    const Trace& trace = run_small({"ranks=2", "stage=3", "steps=" + std::to_string(steps)});
    INFO(evidence_of(trace, "overlap_helps"));
    for (const char* name : {"overlap on", "overlap off"}) {
      const SectionView& section = *trace.find(name);
      CHECK(section.number("steps") == rounds + 1);
      CHECK(section.text("stage") == "3");
      CHECK(section.yes("overlap") == (std::string(name) == "overlap on"));
      CHECK(std::any_of(trace.rows().ledger.begin(), trace.rows().ledger.end(),
                        [&](const LedgerRow& row) { return row.section == name; }));
    }
    CHECK(unexplained_of(trace) == 0);
    CHECK(evidence_of(trace, "overlap_helps").find(std::to_string(rounds) + " rounds in turns") !=
          std::string::npos);
    if (rounds < 6) CHECK(verdict_of(trace, "overlap_helps") == "not_testable");
  }
}

TEST_CASE("the same scenario gives the same parameters, in every stage; training learns") {
  const auto hash = [](const Trace& trace, const std::string& stage) {
    return trace.rows().outcome_text.at("stage_" + stage + "_parameters_sha256");
  };
  const std::vector<std::string> words = {"ranks=3"};
  const Trace &one = run_small(words), two = run_lesson(lesson(), small_words(words));
  const Trace& other = run_small({"ranks=3", "seed=1"});
  CHECK(hash(one, "2") == hash(two, "2"));
  CHECK(hash(one, "2") != hash(other, "2"));
  for (const char* stage : {"1", "2", "3"}) CHECK(hash(one, stage) == hash(one, "0"));
  const Trace& learning = run_small({"ranks=2", "stage=1", "hidden=32", "steps=40", "tokens=24", "batch=16"});
  const auto& outcome = learning.rows().outcome;
  CHECK(outcome.at("last_tenth_loss") < 0.8 * outcome.at("first_tenth_loss"));
  CHECK(outcome.at("accuracy") > outcome.at("majority_accuracy"));
}

TEST_CASE("Every stage takes its first steps, the one that is named first; then it is trained to the end") {
  const auto order = [](const std::string& stage) {
    const Trace& trace = run_small({"ranks=2", stage});
    std::string ran, booked;
    for (const SectionView& section : trace.sections())
      if (section.name().starts_with("stage "))
        ran += section.name().ends_with(" to the end") ? "-" + section.name().substr(6, 1)
                                                       : section.name().substr(6);
    for (const LedgerRow& row : trace.rows().ledger) {
      const char last = row.section.size() == 7 ? row.section.back() : '.';
      if (booked.empty() || booked.back() != last) booked += last;
    }
    return ran + " " + booked;
  };
  CHECK(order("stage=2") == "2013-2 0123.");
  CHECK(order("stage=all") == "0123-0-1-2-3 0123.");
}

TEST_CASE("the first steps are without an evaluation, however few they are: their peaks are compared") {
  const Trace& trace = run_small({"ranks=4", "stage=2", "steps=2"});
  const auto evaluated = [&](const char* section) {
    return !completed_calls(trace, *trace.find(section), "evaluation", 0).empty();
  };
  CHECK_FALSE(evaluated("stage 2"));
  CHECK(evaluated("stage 2 to the end"));
  CHECK(evidence_of(trace, "every_use").find(" in 2 steps ") != std::string::npos);
}

TEST_CASE("The proof compares every run with the emulation, and names where accumulation parts") {
  const Trace& trace = run_small({"ranks=2", "proof=own"});
  const ClaimResult claim = judge_alone(lesson(), "same_training", trace);
  INFO(claim.evidence);
  CHECK(claim.verdict == Verdict::kPartly);
  CHECK(claim.evidence.starts_with("35 of 35 fp32 runs end with the reference's bits after 10 steps"));
  CHECK(claim.evidence.find("at step 1, model.") != std::string::npos);
}

TEST_CASE("Predictions are measured, and their wrong answers stand apart") {
  const Trace& trace = run_small({"ranks=4", "hidden=32", "layers=2"});
  for (const PredictionRow& row : trace.rows().predictions) {
    INFO(row.id);
    if (!row.words.empty()) continue;
    CHECK(!row.wrong.empty());
    for (const WrongAnswer& wrong : row.wrong) CHECK(std::abs(wrong.value - row.answer) >= 0.05 * row.answer);
    if (row.id == "copies_stage_0") CHECK(row.answer == 75);
    if (row.id == "state_stage_2") CHECK(row.answer == Approx(5.5).epsilon(1e-3));
    if (row.id == "sent_stage_3") CHECK(row.answer == Approx(2.25).epsilon(1e-3));
  }
}

TEST_CASE("One step of each set-up answers the questions in words") {
  const std::vector<std::string> words =
      GENERATE(values<std::vector<std::string>>({{"ranks=4", "hidden=32", "accumulate=3"},
                                                 {"ranks=3"},
                                                 {"ranks=2", "reshard=off", "reduce=all_reduce"}}));
  const Trace& trace = run_small(words);
  INFO(trace.scenario());
  for (const PredictionSpec& spec : lesson().predictions) {
    if (!spec.words) continue;
    INFO(spec.id);
    REQUIRE(spec.words->measured(trace).has_value());
    CHECK(*spec.words->measured(trace) == spec.words->right(small_scenario(words)));
  }
}

TEST_CASE("What is cut into shards is no copy, and only the stages themselves are hashed") {
  const Trace& trace = run_small({"ranks=4", "hidden=32", "accumulate=3"});
  // Hashes that all four ranks agree on, of each kind of state, by stage.
  const std::map<std::string, std::string> expected = {
      {"stage 0", "PGO"}, {"stage 1", "P"}, {"stage 2", "P"}, {"stage 3", ""}};
  for (const SectionView& section : trace.sections()) {
    std::map<std::array<std::string, 3>, int> ranks_of;  // category, tensor, hash
    for (const TensorHash& row : rows_as<TensorHash>(section))
      ++ranks_of[{row.category, row.tensor, row.hash}];
    INFO(section.name());
    CHECK(ranks_of.empty() == !expected.contains(section.name()));
    std::string shared;
    for (const auto& [kind, letter] :
         {std::pair("parameters", 'P'), {"gradients", 'G'}, {"optimizer", 'O'}}) {
      bool all = true, any = false;
      for (const auto& [row, ranks] : ranks_of) {
        if (row[0] != kind) continue;
        any = true;
        all = all && ranks == 4;
      }
      if (any && all) shared += letter;
    }
    if (expected.contains(section.name())) CHECK(shared == expected.at(section.name()));
  }
}

TEST_CASE("Mistakes about traffic are mistakes about this scenario's traffic") {
  const Trace& trace = run_small({"ranks=4", "hidden=32", "accumulate=3"});
  const std::map<std::string, double> right = {
      {"sent_stage_0", 1.5}, {"sent_stage_1", 1.5}, {"sent_stage_2", 3.0}, {"sent_stage_3", 6.75}};
  for (const PredictionRow& row : trace.rows().predictions) {
    if (!right.contains(row.id)) continue;
    INFO(row.id);
    CHECK(row.answer == Approx(right.at(row.id)).epsilon(5e-3));
    const auto bytes = std::find_if(row.wrong.begin(), row.wrong.end(),
                                    [](const WrongAnswer& wrong) { return wrong.name.starts_with("bytes"); });
    REQUIRE(bytes != row.wrong.end());
    CHECK(bytes->value == Approx(2 * right.at(row.id)));
  }
}

TEST_CASE("The page has the stages, what was measured, and what is known of the run") {
  const std::string stage = GENERATE("stage=all", "stage=2");
  const Trace& trace = run_small({"ranks=2", stage});
  const std::string text = page_text(lesson(), small_scenario({"ranks=2", stage}), trace, {});
  for (const char* word : {"In short", "Claims", "Ledger    every byte explained", "loss ", "Next",
                           "reference", "equal", "Ψ = "}) {
    CHECK(text.find(word) != std::string::npos);
  }
  CHECK(std::count(text.begin(), text.end(), '\n') <= 60);
}

TEST_CASE("A scenario that does not fit into memory is refused before it begins") {
  Session session(lesson(),
                  small_scenario({"hidden=1024", "layers=32", "ranks=8", "tokens=1024", "batch=4096"}));
  REQUIRE(finishes(session));
  CHECK_THROWS_AS(session.result(), UsageError);
}

TEST_CASE("Cancelled at a step, it leaves what it has") {
  Session session(lesson(), small_scenario({"ranks=2", "steps=100000"}));
  while (session.progress().done < 3 && !session.wait_for(std::chrono::milliseconds(5))) {
  }
  session.control().cancel();
  REQUIRE(finishes(session));
  const Trace trace = session.result();
  CHECK(!trace.complete());
  CHECK(!trace.rows().ledger.empty());
  CHECK(unexplained_of(trace) == 0);
}
