// Claims are judged by the trace alone: a doctored one gets another verdict.
#include "run_lesson.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// As a run writes them, but for what a test changes.
std::map<std::string, Attributes> usual_sections() {
  const auto hang = [](const std::string& ms) {
    return Attributes{{"ended", "timeout"},    {"ended_after_ms", ms},     {"stuck", "dp#1"},
                      {"stuck_elements", "5"}, {"stuck_tag", "gradients"}, {"kind", "hang"}};
  };
  const auto outputs = [](const std::string& training, const std::string& evaluation,
                          const std::string& returned) {
    return Attributes{{"kind", "outputs"},
                      {"training_peak_bytes", training},
                      {"evaluation_peak_bytes", evaluation},
                      {"gathered_bytes", "1000"},
                      {"accuracy", "0.5"},
                      {"returned_in_evaluation", returned},
                      {"first_bucket_after_evaluation", "5"}};
  };
  return {{"symptom", hang("1000")},
          {"fix timeout", hang("3000")},
          {"fix outputs", hang("1000")},
          {"original", outputs("1000", "2000", "yes")},
          {"V3", outputs("990", "1000", "no")},
          {"V1", outputs("1000", "1000", "no")},
          {"V1 mismatch", outputs("1000", "2000", "yes")},
          {"V2 mismatch", outputs("1000", "2000", "yes")},
          {"chunked", outputs("1000", "2000", "yes")},
          {"compressed", outputs("1000", "2000", "yes")}};
}

std::map<std::string, double> usual_outcome() {
  return {{"arithmetic_logged", 467019003},         {"arithmetic_remainder", 2299},
          {"arithmetic_first_bucket", 467019003},   {"arithmetic_product", 58720256},
          {"arithmetic_claimed_product", 58851328}, {"arithmetic_product_over_gpus", 469762048},
          {"arithmetic_wire_ms_nvlink", 4},         {"arithmetic_wire_ms_ethernet", 13000}};
}

struct Doctored {
  std::map<std::string, Attributes> sections = usual_sections();
  std::map<std::string, double> outcome = usual_outcome();
  // Elements that each rank passed into what hangs.
  std::vector<int64_t> elements = {5, 5, 5};
  // Of the sections in turns, a round each; the first round of a section warms it up.
  std::vector<double> original_ms = std::vector<double>(9, 10), v3_ms = original_ms;

  void record_turns(TraceStore& store, const std::string& section, std::vector<double> rounds) const {
    if (rounds.empty()) return;
    Recorder* recorder = store.add_section(section, {{"kind", "outputs"}}, 1).front();
    rounds.insert(rounds.begin(), 1e4);
    int64_t now = 0;
    for (const double ms : rounds) {
      for (const char* span : {"step", "evaluate"}) {
        const int64_t start = now;
        recorder->span(span, start, now += static_cast<int64_t>(ms * 1e6));
      }
    }
  }

  Verdict verdict(const std::string& id) const { return result(id).verdict; }
  ClaimResult result(const std::string& id) const {
    const auto store = TraceStore::create("doctored");
    for (const auto& [name, attributes] : sections) {
      const auto recorders = store->add_section(name, attributes, static_cast<int>(elements.size()));
      for (Recorder* recorder : recorders) {
        CollectiveEvent event;
        event.group = recorder->name("dp");
        event.tag = recorder->name("gradients");
        event.collective_seq_id = 1;
        event.elements = elements[static_cast<size_t>(recorder->rank())];
        event.time_created_ns = 5;
        recorder->collective(event);
      }
      recorders.front()->span("evaluate", 100, 200);
    }
    record_turns(*store, "original in turns", original_ms);
    record_turns(*store, "V3 in turns", v3_ms);
    TraceRows rows;
    rows.outcome = outcome;
    store->set_rows(rows);
    store->set_complete();
    return judge_alone(lesson(), id, store->snapshot());
  }
};

}  // namespace

TEST_CASE("the verdicts of a usual run") {
  const Doctored usual;
  for (const char* id :
       {"tensor", "arithmetic", "size", "v1_mends", "flags", "training_faster", "evaluation_faster"}) {
    CAPTURE(id);
    CHECK(usual.verdict(id) == Verdict::kFails);
  }
  CHECK(usual.verdict("both") == Verdict::kPartly);
  CHECK(usual.verdict("longer") == Verdict::kHolds);
  // What a toy cannot tell about DeepSpeed and PyTorch: their own lines answer it.
  for (const char* id : {"numel", "outputs_synchronised", "v3_mends", "megabytes"}) {
    CAPTURE(id);
    CHECK(usual.verdict(id) == Verdict::kNotTestable);
    CHECK(usual.result(id).evidence.starts_with("not testable here: "));
  }
}

TEST_CASE("another trace, another verdict") {
  const auto verdict = [](const std::string& id, const std::function<void(Doctored&)>& change) {
    Doctored doctored;
    change(doctored);
    return doctored.verdict(id);
  };
  CHECK(verdict("tensor", [](Doctored& d) {
          d.outcome["arithmetic_remainder"] = 0;
          d.outcome["arithmetic_first_bucket"] = 1;
          d.sections["symptom"]["stuck_tag"] = "evaluation hidden states";
        }) == Verdict::kHolds);
  CHECK(verdict("arithmetic", [](Doctored& d) {
          d.outcome["arithmetic_product"] = d.outcome["arithmetic_claimed_product"];
          d.outcome["arithmetic_product_over_gpus"] = d.outcome["arithmetic_logged"];
        }) == Verdict::kHolds);
  CHECK(verdict("size", [](Doctored& d) { d.outcome["arithmetic_wire_ms_ethernet"] = 700'000; }) ==
        Verdict::kHolds);
  CHECK(verdict("v1_mends", [](Doctored& d) { d.sections["fix outputs"]["ended"] = "completed"; }) ==
        Verdict::kHolds);
  CHECK(verdict("flags", [](Doctored& d) {
          d.sections["V1"]["returned_in_evaluation"] = "yes";
          d.sections["V2 mismatch"]["returned_in_evaluation"] = "no";
        }) == Verdict::kHolds);
  CHECK(verdict("both", [](Doctored& d) { d.sections["V3"]["training_peak_bytes"] = "100"; }) ==
        Verdict::kHolds);
  CHECK(verdict("training_faster", [](Doctored& d) { d.v3_ms.assign(9, 7); }) == Verdict::kHolds);
  CHECK(verdict("evaluation_faster", [](Doctored& d) { d.v3_ms.assign(9, 1.5); }) == Verdict::kHolds);
  CHECK(verdict("longer", [](Doctored& d) { d.sections["fix timeout"]["ended"] = "completed"; }) ==
        Verdict::kFails);
  // Where a case shows that it does mend, the verdict is: partly.
  Doctored late;
  late.sections["case 1"] = {{"kind", "hang"}, {"cause", "late_gather"}, {"ended", "timeout"}};
  late.sections["case 1 fixed"] = {{"kind", "fixed"}, {"ended", "completed"}};
  CHECK(late.verdict("v1_mends") == Verdict::kPartly);
  Doctored saves;
  saves.sections["case 9 fixed"] = {{"kind", "fixed"}, {"cause", "saves"}, {"ended", "completed"}};
  CHECK(saves.verdict("longer") == Verdict::kPartly);
}

TEST_CASE("times are judged round by round, by an interval") {
  Doctored d;
  d.v3_ms = {7, 7, 7, 7, 7, 7, 7, 7, 20};  // one round disturbed
  CHECK(d.verdict("training_faster") == Verdict::kHolds);
  d.v3_ms = {7, 7, 7, 7, 7, 7, 7, 9, 20};  // an end of the interval is outside of what is claimed
  CHECK(d.verdict("training_faster") == Verdict::kNotTestable);
  CHECK(d.result("training_faster").evidence ==
        "cannot be told here: 0.70 [0.70, 0.90] times as long with V3 as with the original, where 0.6 to 0.8 "
        "is "
        "claimed (median 7.0 and 10.0 ms), 9 rounds in turns");
  d.v3_ms.assign(9, 5);  // faster than is claimed is not what is claimed
  CHECK(d.verdict("training_faster") == Verdict::kFails);
  // The machine slows down while both are measured: each round's ratio stays.
  d.original_ms = {10, 20, 30, 40, 50, 60, 70, 80, 90};
  d.v3_ms.clear();
  for (const double ms : d.original_ms) d.v3_ms.push_back(0.7 * ms);
  CHECK(d.verdict("training_faster") == Verdict::kHolds);
  d.v3_ms.pop_back();  // a round without its half
  CHECK(d.verdict("training_faster") == Verdict::kNotTestable);
}

TEST_CASE("what was calculated is said to be") {
  const Doctored usual;
  for (const char* id : {"tensor", "arithmetic", "size"}) {
    CAPTURE(id);
    CHECK(usual.result(id).evidence.starts_with("calculated"));
  }
}

TEST_CASE("what was not run is not judged") { check_says_nothing(lesson()); }
