// The five acts, run whole: what hangs hangs where it should, the reports are right, and each figure is the
// run's.

#include "ringside/base/error.h"
#include "ringside/faults/plan.h"
#include "ringside/figures/page.h"
#include "ringside/flight/files.h"
#include "ringside/flight/report.h"
#include "ringside/trace/hang_rows.h"
#include "run_lesson.h"
#include "temp_folder.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// One run of everything, for all the tests that only read it.
const std::vector<std::string> kEverything = {"ranks=3", "deadline=1"};
const Trace& everything() {
  static const Trace trace = run_lesson(kEverything);
  return trace;
}

constexpr int kCases = 13, kCasesOfOneLine = 4;

std::vector<std::string> words_of_case(int which) {
  return {"act=5", "ranks=3", "case=" + std::to_string(which), "deadline=1"};
}
// Where the dumps of case 1 lie.
const TempFolder& dumps() {
  static const TempFolder folder;
  return folder;
}
// A case with its fix and its check, run once for all the tests.
const Trace& run_of_case(int which) {
  static std::map<int, Trace> runs;
  if (const auto found = runs.find(which); found != runs.end()) return found->second;
  std::vector<std::string> words = words_of_case(which);
  if (which == 1) words.push_back("dumps=" + dumps().path.string());
  return runs[which] = run_lesson(words);
}

std::string stack_of_culprit(const Trace& trace, const std::string& name) {
  for (const StackOfRank& row : rows_as<StackOfRank>(*trace.find(name)))
    if (std::to_string(row.rank) == attribute(trace, name, "culprit")) return row.stack;
  return "";
}

// Its words, however they were wrapped; a listing's numbers of lines left out.
std::string in_a_line(const std::string& text) {
  std::string all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    bool is_first = true;
    for (std::string word; words >> word; is_first = false)
      if (!is_first || word.find_first_not_of("0123456789") != std::string::npos) all += word + ' ';
  }
  return all;
}

std::string without_rank(const std::string& log) { return log.substr(log.find(']') + 1); }

}  // namespace

TEST_CASE("all acts: complete, nothing failed; act 4 hangs in the bucket that is named") {
  const Trace& trace = everything();
  CHECK(number(trace, "live", "stuck_elements") == trace.rows().outcome.at("first_bucket_here"));
  CHECK(number(trace, "plan here", "first_bucket") == trace.rows().outcome.at("first_bucket_here"));
  CHECK(attribute(trace, "live", "stuck_op") == "all_reduce");
  CHECK(trace.complete());
  CHECK(lesson().failed_check(trace) == "");
  CHECK(trace.rows().outcome.at("arithmetic_first_bucket") == 467019003);
  CHECK(trace.rows().outcome_text.at("first_bucket_sum") ==
        "467,019,003 = head 899,835 + final norm 3,584 + layer 27 233,057,792 + layer 26 233,057,792");
  CHECK(trace.rows().outcome.at("arithmetic_remainder") == 467019003 % 3584);
  CHECK(trace.rows().outcome.at("explain_allowed") == 1);
}

TEST_CASE("act 1: only finding the rank fixes a run whose rank never comes; a late one is another matter") {
  const Trace& trace = everything();
  for (const char* section : {"symptom", "fix timeout", "fix outputs", "fix barrier"}) {
    CAPTURE(section);
    CHECK(attribute(trace, section, "ended") == "timeout");
    CHECK(attribute(trace, section, "suspects") == attribute(trace, section, "culprit"));
    const bool barrier = section == std::string("fix barrier");
    CHECK(attribute(trace, section, "stuck_tag") == (barrier ? "barrier" : "gradients"));
    CHECK((attribute(trace, section, "stuck") == attribute(trace, "symptom", "stuck")) == !barrier);
  }
  CHECK(number(trace, "fix barrier", "stuck_elements") == 1);  // no 140,807 that one could misread
  for (const char* section : {"fix rank", "late timeout", "late outputs"})
    CHECK(attribute(trace, section, "ended") == "completed");
  const double longer =
      number(trace, "fix timeout", "ended_after_ms") / number(trace, "symptom", "ended_after_ms");
  CHECK(longer > 2);  // a rank waits longer on a busy machine
  CHECK(longer < 3.3);
  CHECK(number(trace, "fix timeout", "deadline_ms") == 3 * number(trace, "symptom", "deadline_ms"));
}

TEST_CASE("act 3: who returns hidden states in evaluation, and what that takes") {
  const Trace& trace = everything();
  const auto returned = [&](const std::string& section) {
    return attribute(trace, section, "returned_in_evaluation");
  };
  for (const char* section : {"original", "V1 mismatch", "V2 mismatch", "chunked", "compressed"})
    CHECK(returned(section) == "yes");
  for (const char* section : {"V1", "V2", "V3"}) CHECK(returned(section) == "no");
  CHECK(number(trace, "original", "gathered_bytes") > 100 * number(trace, "V3", "gathered_bytes"));
  CHECK(number(trace, "compressed", "gathered_bytes") < 0.51 * number(trace, "original", "gathered_bytes"));
  CHECK(number(trace, "chunked", "gathered_bytes") == number(trace, "original", "gathered_bytes"));
  CHECK(number(trace, "original", "evaluation_peak_bytes") >
        1.3 * number(trace, "V3", "evaluation_peak_bytes"));
  CHECK(number(trace, "original", "held_in_training_bytes") > 0);
  CHECK(number(trace, "V3", "held_in_training_bytes") == 0);
  CHECK(number(trace, "V3", "hidden_states_at_backward_bytes") > 0);  // autograd's
  for (const char* section : {"original", "V1", "V2", "V3", "V1 mismatch"})
    CHECK(number(trace, section, "first_bucket_after_evaluation") ==
          trace.rows().outcome.at("first_bucket_here"));
}

TEST_CASE("act 5: one log line, four causes, each told apart, mended, and seen by the check") {
  std::set<std::string> lines, causes;
  for (int which = 1; which <= kCasesOfOneLine; ++which) {
    const Trace& trace = run_of_case(which);
    const std::string name = "case " + std::to_string(which);
    CAPTURE(name, attribute(trace, name, "sentence"));
    lines.insert(without_rank(attribute(trace, name, "shown_log")));
    const std::string cause = attribute(trace, name, "cause");
    causes.insert(cause);
    CHECK(attribute(trace, name, "ended") == "timeout");
    CHECK(attribute(trace, name, "suspects") == attribute(trace, name, "culprit"));
    // That it was killed is known; the others are told by the majority, which may be wrong.
    CHECK(attribute(trace, name, "certain") == (cause == "killed" ? "yes" : "no"));
    CHECK(attribute(trace, name, "by_majority") == (cause == "killed" ? "no" : "yes"));
    CHECK(attribute(trace, name + " fixed", "ended") == "completed");
    std::set<std::string> groups_waited_in;
    for (const RankWait& row : rows_as<RankWait>(*trace.find(name))) groups_waited_in.insert(row.group);
    const bool is_cycle = cause == "one_batch_more" || cause == "evaluates_alone";
    CHECK(groups_waited_in.size() == (is_cycle ? 2 : 1));
    CHECK((trace.rows().outcome_text.count("case_" + name.substr(5) + "_waits") == 1) == is_cycle);
    const std::string checked = attribute(trace, name + " check", "ended");
    CHECK(checked == (cause == "killed" ? "peer_lost" : cause == "late_gather" ? "timeout" : "mismatch"));
    // A cycle is reported as soon as two ranks close it: with one on each side, who is alone cannot be told.
    const bool told =
        attribute(trace, name + " check", "sentence").find("cannot be told") == std::string::npos;
    if (checked != "timeout" && told)
      CHECK(attribute(trace, name + " check", "suspects") == attribute(trace, name, "culprit"));
  }
  CHECK(lines.size() == 1);  // the very same, but for who prints it
  CHECK(causes.size() == 4);
}

TEST_CASE("act 5: another seed and world; what tells two cases apart is in the stacks") {
  CHECK(lesson().failed_check(run_lesson({"act=5", "deadline=0.7", "seed=1", "ranks=4", "case=2"})) == "");
  std::set<std::string> stacks;
  for (int which = 1; which <= kCasesOfOneLine; ++which) {
    const std::string stack = stack_of_culprit(run_of_case(which), "case " + std::to_string(which));
    if (!stack.empty()) stacks.insert(stack.substr(0, stack.find(" > all")));
  }
  std::string all;
  for (const std::string& stack : stacks) all += stack + "\n";
  CAPTURE(all);
  CHECK(all.find("write hidden states") != std::string::npos);
  CHECK(stacks.size() == 3);  // the killed one has none
}

TEST_CASE("act 5: each case hangs, is told apart and mended; a wrong answer and the right one") {
  const std::set<std::string> causes_of_rank_zero = {"rank0_reduces", "then_barrier", "saves",
                                                     "other_deadline", "evaluates_alone"};
  std::set<std::string> causes;
  for (int which = 1; which <= kCases; ++which) {
    const std::string name = "case " + std::to_string(which);
    const Trace& trace = run_of_case(which);
    const std::string cause = attribute(trace, name, "cause");
    CAPTURE(name, cause, attribute(trace, name, "sentence"));
    CHECK(lesson().failed_check(trace) == "");
    CHECK(causes.insert(cause).second);
    CHECK(attribute(trace, name, "options").find(cause) != std::string::npos);
    const auto said = [&](const std::string& rank, const std::string& what) {
      std::vector<std::string> words = words_of_case(which);
      words.insert(words.end(), {"look=stacks", "culprit=" + rank, "cause=" + what});
      return in_a_line(lesson().summary(config_of(words), trace, 98, false));
    };
    const std::string culprit = attribute(trace, name, "culprit"), other = culprit == "2" ? "1" : "2";
    CHECK(said(other, cause).find("Wrong rank: that one was only waiting. You used 1 look.") !=
          std::string::npos);
    const std::string wrong = cause == "one_batch_more" ? "killed" : "one_batch_more";
    CHECK(said(culprit, wrong).find("Right rank, but another cause.") != std::string::npos);
    CHECK(said(culprit, wrong).find("runs to its end") == std::string::npos);
    const std::string right = said(culprit, cause);
    CHECK(right.find("Right: rank " + culprit + " " + attribute(trace, name, "says")) != std::string::npos);
    CHECK(right.find("Solved with 1 look.") != std::string::npos);
    CHECK(right.find("runs to its end") != std::string::npos);
    CHECK((said("nobody", cause).find("Right: ") != std::string::npos) == (cause == "inside"));
    CHECK(attribute(trace, name + " fixed", "ended") == "completed");
    CHECK(attribute(trace, name, "ended") == (cause == "straggler" ? "completed" : "timeout"));
    if (causes_of_rank_zero.contains(cause)) CHECK(attribute(trace, name, "culprit") == "0");
    // The others' barrier and rank 0's sum are one call: the hang comes one call later, and the merged report
    // says since when calls are paired wrongly. So for a batch that one rank leaves out.
    const bool mispaired = attribute(trace, name, "sentence").find("paired wrongly") != std::string::npos;
    CHECK(mispaired == (cause == "then_barrier" || cause == "swallows"));
    if (cause == "inside") CHECK(attribute(trace, name, "missing") == "");
    if (cause == "saves") CHECK(number(trace, name + " fixed", "deadline_ms") == 3000);
    if (cause == "other_deadline") {
      CHECK(number(trace, name, "deadline_ms") == 1000);
      CHECK(number(trace, name, "default_deadline_ms") == 3000);
    }
    const std::string stack = stack_of_culprit(trace, name);
    if (cause == "rank0_reduces")
      CHECK(stack.find("add up counts > all_reduce of group default") != std::string::npos);
    if (cause == "saves") CHECK(stack.find("save checkpoint") != std::string::npos);
  }
  CHECK(causes.size() == kCases);
}

TEST_CASE("an unanswered case does not tell, nor the whole lesson; answers are judged, looks counted") {
  const std::vector<std::string> words = words_of_case(2);
  const Trace& trace = run_of_case(2);
  const std::string culprit = attribute(trace, "case 2", "culprit"),
                    cause = attribute(trace, "case 2", "cause");
  const auto said = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return in_a_line(lesson().summary(config_of(more), trace, 98, false));
  };
  CHECK(said({}).find("answer with culprit=RANK") != std::string::npos);
  CHECK(said({}).find("suspect") == std::string::npos);
  CHECK(said({}).find("fix ") == std::string::npos);
  CHECK(said({"look=dump"}).find("suspect") == std::string::npos);  // lanes as they are
  CHECK(said({"look=dump"}).find("dp, rank 0") != std::string::npos);
  CHECK(said({"look=verdict"}).find("suspect rank") != std::string::npos);
  CHECK(said({"look=logs"}).find(": (nothing)") != std::string::npos);
  CHECK(said({"look=logs"}).find("last enqueued NCCL work:") != std::string::npos);
  const std::string right = said({"look=logs,counters", "culprit=" + culprit, "cause=" + cause});
  CHECK(right.find("Right: rank") != std::string::npos);
  CHECK(right.find("Solved with 2 looks") != std::string::npos);
  CHECK(said({"culprit=" + culprit, "cause=one_batch_more"}).find("ollect more evidence") !=
        std::string::npos);
  CHECK(said({"culprit=0", "cause=" + cause}).find("ollect more evidence") != std::string::npos);
  CHECK(said({"cause=tell"}).find("It was this: rank") != std::string::npos);
  const Trace& whole_run = everything();
  for (const bool whole : {false, true}) {
    const std::string page = page_text(lesson(), config_of(kEverything), whole_run, {.all = whole});
    CHECK(page.starts_with("A hidden state has 3,584 numbers, which is even. 467,019,003 is odd.\n"));
    for (int which = 1; which <= kCases; ++which)
      CHECK(page.find(attribute(whole_run, "case " + std::to_string(which), "says")) == std::string::npos);
    CHECK(page.find("suspect") == std::string::npos);
  }
}

TEST_CASE("three logs of one program, numbers that no length hits, and every picture") {
  const Trace& trace = everything();
  std::vector<std::vector<int64_t>> rows;
  for (const RowEvent* row : trace.find("plan 7B")->rows_of("logs of the source")) {
    rows.emplace_back();  // NumelIn, mod H, classes, g, steps
    for (size_t i = 2; i < 7; ++i) rows.back().push_back(*row->values.at(i).integer());
  }
  const std::vector<std::vector<int64_t>> expected = {
      {467019003, 2299, 251, 8, 400}, {467019003, 2299, 251, 8, 10}, {466735788, 2220, 172, 4, 1200}};
  CHECK(rows == expected);
  CHECK((rows[0][0] - rows[2][0]) == (rows[0][2] - rows[2][2]) * 3585);  // H + 1: the head has a bias
  const auto table = figure_as<figure::Table>(lesson(), "tensor", everything());
  CHECK(table.rows.size() == 7);
  for (const auto& row : table.rows) {
    CHECK(row[3].number != 0);
    CHECK(row[2].number + row[3].number == 467019003);
  }
  CHECK(figure_text(lesson(), "tensor", everything())
            .starts_with(
                "467,019,003 mod 3,584 = 2,299, not 0: no batch size and no length gives this number.\n"));
  const Config config = config_of({"deadline=0.5", "cause=tell"});
  for (const FigureSpec& figure : lesson().figures) {
    CAPTURE(figure.id);
    const SectionView* section = trace.find(figure.section.empty() ? "symptom" : figure.section);
    REQUIRE(section != nullptr);
    const FigureInput input{config, trace, section, std::numeric_limits<int64_t>::max() / 2};
    CHECK_FALSE(std::holds_alternative<figure::Nothing>(figure.value(input)));
  }
}

TEST_CASE("questions: askable as they stand, and the run measures what the formula says") {
  const Config config = config_of(kEverything);
  for (const PredictionSpec& question : lesson().predictions) {
    CAPTURE(question.id);
    CHECK(askable(question, config));
    if (question.words) {
      if (question.words->measured)
        CHECK(question.words->measured(everything()) == question.words->right(config));
    } else if (question.id == "wire_ms") {
      CHECK(question.measured == nullptr);  // it is calculated
    } else {
      const double right = question.formula(config), found = question.measured(everything()).value();
      const double more = question.id == "timeout_x3" ? 1 : 0.1;  // ranks wait longer on a busy machine
      CHECK(found >= 0.9 * right);
      CHECK(found <= (1 + more) * right);
    }
  }
}

TEST_CASE("fault plans that come along are read; those not in tests/fault_matrix are seen by the check") {
  using K = FaultKind;
  const std::set<K> in_the_matrix = {K::kSkip, K::kExtra, K::kWrongSize, K::kWrongDtype, K::kDelay,
                                     K::kStop, K::kKill,  K::kRaise,     K::kNan};
  int plans = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(RINGSIDE_ASSETS) / "faults")) {
    if (file.path().extension() != ".json") continue;
    ++plans;
    const Fault fault = read_fault_plan(file.path().string()).faults.at(0);
    if (in_the_matrix.contains(fault.kind) && fault.kind != K::kSkip) continue;
    const bool is_seen = fault.kind != K::kOtherTensor;  // else no call waits for its deadline
    const Trace trace =
        run_lesson({"faults=" + file.path().string(), "check=on", is_seen ? "deadline=0.5" : "deadline=10"});
    CAPTURE(file.path().string(), attribute(trace, "own", "sentence"));
    if (!is_seen) {
      CHECK(attribute(trace, "own", "ended") == "completed");
      const auto& words = trace.rows().outcome_text;
      CHECK(words.at("own_parameters_sha256") != words.at("own_without_parameters_sha256"));
      continue;
    }
    CHECK(attribute(trace, "own", "ended") != "completed");
    // Mistakes of the loop close a cycle of waits, which is reported as soon as two ranks close it: with one
    // on each side, who is alone cannot be told.
    const bool of_loop = fault.kind == K::kOneBatchMore || fault.kind == K::kEvaluatesAlone;
    const bool told = attribute(trace, "own", "sentence").find("cannot be told") == std::string::npos;
    if (told || !of_loop) CHECK(attribute(trace, "own", "suspects") == std::to_string(fault.rank));
  }
  CHECK(plans >= 12);
}

TEST_CASE("dumps are left where they are wanted; cancelled, it ends; what cannot be is refused") {
  const Trace& trace = run_of_case(1);
  const FlightReport report = merge_flights(read_flight_dumps(dumps().file("case 1")));
  CHECK(report.sentence == attribute(trace, "case 1", "sentence"));
  CHECK_FALSE(std::filesystem::exists(dumps().path / "case 1 fixed"));  // nothing broke there
  Session session(lesson(), config_of({"deadline=10"}));
  std::this_thread::sleep_for(
      std::chrono::milliseconds(700));  // in the first hang, where the machine is not slow
  session.control().cancel();
  REQUIRE(session.wait_for(kPatience));
  CHECK_FALSE(session.result().complete());
  CHECK(attribute(session.result(), "symptom", "ended") != "timeout");  // it did not sit the deadline out
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"act=5", "look=nothing"}, {"culprit=5"}, {"act=4", "model=none_such"}, {"faults=/none.json"}}) {
    Session refused(lesson(), config_of(words));
    REQUIRE(finishes(refused));
    CHECK_THROWS_AS(refused.result(), ringside::Error);
  }
}
