// The lesson as a front end runs it, and claims of doctored traces.
#include "doctored_trace.h"
#include "hybrid/parts.h"
#include "ringside/ledger/ledger.h"
#include "run_a_lesson.h"

namespace ringside::lessons::hybrid {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("hybrid", make_lesson());

const Trace& two_nodes() {
  static const Trace trace = run_lesson(kLesson, {});
  return trace;
}

// As the run left it, with these rows of bits behind.
Trace with_bits(const std::string& own, const std::string& stage3, const std::string& no_sync) {
  const auto store = TraceStore::create("hybrid");
  Recorder& pen = *store->add_section(kBits, {}, 1).front();
  record_row(pen, BitRow{"HSDP", "nodes", own});
  record_row(pen, BitRow{"stage 3", "nodes", stage3});
  record_row(pen, BitRow{"stage 3, g=4, no_sync", "ranks", no_sync});
  return store->snapshot();
}

}  // namespace

TEST_CASE("hybrid: what is predicted is measured; a ring sends what direct collectives send") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"replicas=4", "accumulate=2"}, {"ranks=6", "replicas=3"}}) {
    const Trace trace = words.empty() ? two_nodes() : run_lesson(kLesson, words);
    check_answers(kLesson, words, trace, 0.01);
    const Config config = scenario_of(kLesson, words);
    for (const PredictionSpec& spec : kLesson.predictions)
      CHECK(wrong_answers(spec, config, spec.formula(config)).size() >= 2);
    CHECK(unexplained_bytes(trace.rows().ledger) == 0);
    CHECK(kLesson.failed_check(trace) == "");
    const std::string bits =
        words == std::vector<std::string>{"replicas=4", "accumulate=2"} ? "holds" : "partly";
    CHECK(verdicts_of(trace) ==
          "inside holds, shard holds, memory fails, bits " + bits + ", no_sync holds, order holds");
  }
  for (const auto& row : rows_in<SchemeRow>(two_nodes())) {
    const SectionView& direct = *two_nodes().find(row.name);
    double bytes = 0;  // of the first rank
    for (const LedgerRow& one : count_rows(two_nodes(), direct))
      if (one.what == "traffic" && one.rank == 0 &&
          (one.category == "parameters" || one.category.starts_with("gradients")))
        bytes += double(one.counted);
    CHECK(row.inside + row.between == Approx(bytes / 2 / direct.number("parameters")));  // of bf16
  }
  const auto link = [](int64_t replicas, int64_t from, int64_t to) {
    return row_of<LinkRow>(two_nodes(), replicas, from, to).sent;
  };
  CHECK(link(1, 1, 2) == Approx(2.25));
  CHECK(link(1, 0, 2) == 0);
  CHECK(link(2, 0, 2) == Approx(0.5));
  CHECK(link(2, 1, 2) == 0);
}

TEST_CASE("hybrid: claims and figures follow the trace; odd replicas are refused") {
  CHECK(verdict_alone(kLesson, "bits", with_bits(kNowhere, "weight", kNowhere)) == "partly");
  CHECK(verdict_alone(kLesson, "bits", with_bits(kNowhere, kNowhere, kNowhere)) == "holds");
  CHECK(verdict_alone(kLesson, "bits", with_bits("weight", kNowhere, kNowhere)) == "fails");
  CHECK(verdict_alone(kLesson, "order", with_bits(kNowhere, kNowhere, kNowhere)) == "holds");
  CHECK(verdict_alone(kLesson, "order", with_bits(kNowhere, kNowhere, "weight")) == "fails");
  CHECK(verdict_alone(kLesson, "shard", doctored(two_nodes(), Doctored::kNumbers)) == "fails");
  check_says_nothing(kLesson);
  const std::string crossing = figure_text(kLesson, "crossing", two_nodes());
  CHECK(crossing.find(
            "HSDP: a rank sends 0.5 Ψ per step to other nodes instead of 1.125, for 2 times the memory.") !=
        std::string::npos);
  // One link leaves each node for both: stage 3 sends 2.25 Ψ over it, HSDP 1 Ψ and 1.5 inside.
  CHECK(figure_text(kLesson, "slow", two_nodes()).find("2.1 times as long") != std::string::npos);
  CHECK(figure_text(kLesson, "no_sync", two_nodes()).find("6.75") != std::string::npos);
  CHECK(figure_text(kLesson, "bits", two_nodes()).find("step 1") != std::string::npos);
  Session session(kLesson, scenario_of(kLesson, {"ranks=4", "replicas=3"}));
  finishes(session);
  CHECK_THROWS_AS(session.result(), UsageError);
}

}  // namespace ringside::lessons::hybrid
