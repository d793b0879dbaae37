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
                      {"hidden_states_at_backward_bytes", "700"},
                      {"first_bucket_after_evaluation", "5"}};
  };
  return {{"symptom", hang("1000")},
          {"fix timeout", hang("3000")},
          {"fix outputs", hang("1000")},
          {"late timeout", {{"kind", "fixed"}, {"ended", "completed"}}},
          {"late outputs", {{"kind", "fixed"}, {"ended", "completed"}}},
          {"original", outputs("1000", "2000", "yes")},
          {"V3", outputs("990", "1000", "no")},
          {"V1", outputs("1000", "1000", "no")},
          {"V1 mismatch", outputs("1000", "2000", "yes")},
          {"V2 mismatch", outputs("1000", "2000", "yes")},
          {"chunked", outputs("1000", "2000", "yes")},
          {"compressed", outputs("1000", "2000", "yes")}};
}

std::map<std::string, double> usual_outcome() {
  return {{"arithmetic_logged", 467019003},
          {"arithmetic_remainder", 2299},
          {"arithmetic_first_bucket", 467019003},
          {"arithmetic_product", 58720256},
          {"arithmetic_claimed_product", 58851328},
          {"arithmetic_product_over_gpus", 469762048},
          {"arithmetic_wire_ms_nvlink", 4},
          {"arithmetic_wire_ms_ethernet", 13000},
          {"first_bucket_here", 5}};
}

struct Doctored {
  std::map<std::string, Attributes> sections = usual_sections();
  std::map<std::string, double> outcome = usual_outcome();
  // Elements that each rank passed into what hangs.
  std::vector<int64_t> elements = {5, 5, 5};
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
    TraceRows rows;
    rows.outcome = outcome;
    store->set_rows(rows);
    store->set_complete();
    return judge_alone(lesson(), id, store->snapshot());
  }
};

}  // namespace

TEST_CASE("the verdicts of a usual run, what was calculated, and what was not run") {
  const Doctored usual;
  for (const char* id : {"tensor", "arithmetic", "size", "flags", "numel", "threshold", "v3_mends",
                         "log_line", "outputs_synchronised", "nccl_timeout"}) {
    CAPTURE(id);
    CHECK(usual.verdict(id) == Verdict::kFails);
  }
  for (const char* id : {"both", "v1_mends", "longer", "graph"}) CHECK(usual.verdict(id) == Verdict::kPartly);
  // What DeepSpeed's own lines and the documentation answer is quoted.
  for (const char* id : {"outputs_synchronised", "nccl_timeout"})
    CHECK(usual.result(id).evidence.starts_with("by "));
  for (const char* id : {"megabytes", "training_faster", "evaluation_faster"}) {
    CAPTURE(id);
    CHECK(usual.verdict(id) == Verdict::kNotTestable);
    CHECK(usual.verdict(id) == Verdict::kNotTestable);
    CHECK(usual.result(id).evidence.starts_with("the program returned no hidden states, so no "));
  }
  for (const char* id : {"tensor", "arithmetic", "size"}) {
    CAPTURE(id);
    CHECK(usual.result(id).evidence.starts_with("calculated"));
  }
  check_says_nothing(lesson());
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
  for (const auto& [id, fix] : {std::pair("v1_mends", "outputs"), {"longer", "timeout"}}) {
    const bool opposite = fix == std::string("timeout");  // that it is no help is claimed
    const std::string never = std::string("fix ") + fix, late = std::string("late ") + fix;
    CHECK(verdict(id, [&](Doctored& d) { d.sections[never]["ended"] = "completed"; }) ==
          (opposite ? Verdict::kFails : Verdict::kHolds));
    CHECK(verdict(id, [&](Doctored& d) { d.sections[late]["ended"] = "timeout"; }) ==
          (opposite ? Verdict::kHolds : Verdict::kFails));
  }
  CHECK(verdict("numel", [](Doctored& d) { d.sections["symptom"]["stuck_elements"] = "15"; }) ==
        Verdict::kHolds);
  for (const char* id : {"threshold", "v3_mends"})
    CHECK(verdict(id, [](Doctored& d) { d.sections["V3"]["first_bucket_after_evaluation"] = "1"; }) ==
          Verdict::kHolds);
  CHECK(verdict("graph", [](Doctored& d) { d.sections["V3"]["hidden_states_at_backward_bytes"] = "0"; }) ==
        Verdict::kHolds);
  CHECK(verdict("log_line", [](Doctored& d) { d.sections["fix outputs"]["ended"] = "completed"; }) ==
        Verdict::kHolds);
  CHECK(verdict("flags", [](Doctored& d) {
          d.sections["V1"]["returned_in_evaluation"] = "yes";
          d.sections["V2 mismatch"]["returned_in_evaluation"] = "no";
        }) == Verdict::kHolds);
  CHECK(verdict("both", [](Doctored& d) { d.sections["V3"]["training_peak_bytes"] = "100"; }) ==
        Verdict::kHolds);
}
