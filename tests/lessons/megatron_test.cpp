// The lesson as a front end runs it, claims of doctored traces, and schedules that a person types.
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "megatron/parts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/trace/files.h"
#include "run_a_lesson.h"

namespace ringside::lessons::megatron {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("megatron", make_lesson());
// Two stages that finish each micro-batch before the next: as slow as one.
const std::string kSlow = "pipeline=F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 / F0 B0 F1 B1 F2 B2 F3 B3 F4 B4";
const std::vector<std::string> kWords = {"hidden=48", "tokens=8", "accumulate=5", kSlow};

const Trace& small_run() {
  static const Trace trace = run_lesson(kLesson, kWords);
  return trace;
}

using Json = nlohmann::ordered_json;
using Doctor = std::function<void(Json& record, const std::string& section)>;

// What no claim reads is left out: most of the file. Of four ranks two send half of each kind. Lines are
// chosen before they are parsed.
bool is_read(const std::string& line) {
  const auto has = [&](const char* part) { return line.find(part) != line.npos; };
  if (has(R"("type":"collective")"))
    return has(R"("state":"completed")") && (has(R"("rank":0,)") || has(R"("rank":1,)"));
  if (has(R"("type":"memory")")) return has(R"("category":"activations")");
  if (has(R"("type":"span")")) return has(R"("name":"forward")");
  return !has(R"("type":"ledger")") && !has(R"("type":"note")") && !has(R"("type":"prediction")") &&
         !has(R"("type":"claim")");
}

bool is_below_its_peak(const Json& record) {
  return record.value("type", "") == "memory" && record["live_bytes"] != record["peak_bytes"];
}

// The small run with some records changed, by way of its file.
Trace with(const Doctor& doctor) {
  static const std::vector<Json> records = [] {
    std::stringstream file;
    write_jsonl(small_run(), file);
    std::vector<Json> all;
    for (std::string line; std::getline(file, line);)
      if (is_read(line))
        if (Json record = Json::parse(line); !is_below_its_peak(record)) all.push_back(std::move(record));
    return all;
  }();
  std::stringstream changed;
  std::vector<std::string> names;
  for (Json record : records) {
    const bool is_section = record.value("type", "") == "section";
    if (is_section) names.push_back(record["name"]);
    const bool is_of_one = record.contains("section") && record["section"].is_number();
    doctor(record, is_section ? names.back() : is_of_one ? names.at(record["section"]) : "");
    changed << record.dump() << '\n';
  }
  return read_jsonl(changed, "doctored");
}

std::string verdict(const std::string& claim, const Doctor& doctor) {
  return verdict_alone(kLesson, claim, with(doctor));
}

Doctor times(const std::string& section, const std::string& key, double factor, const std::string& tag = "") {
  return [=](Json& record, const std::string& of) {
    if (of == section && record["type"] == "collective" && (tag.empty() || record["tag"] == tag))
      record[key] = int64_t(double(record[key].get<int64_t>()) * factor);
  };
}
// A value of the rows of passes: 7 is the CPU time, 8 the activations.
Doctor passes(const std::string& section, size_t value, double factor, int rank = -1) {
  return [=](Json& record, const std::string& of) {
    if (of != section || record["type"] != "row" || record["table"] != "pipeline passes") return;
    if (rank < 0 || record["rank"] == rank)
      record["values"][value] = int64_t(double(record["values"][value].get<int64_t>()) * factor);
  };
}
Doctor renamed(const std::string& from, const std::string& to) {
  return [=](Json& record, const std::string&) {
    if (record["type"] != "section") return;
    if (record["name"] == from)
      record["name"] = to;
    else if (record["name"] == to)
      record["name"] = from;
  };
}

}  // namespace

TEST_CASE("megatron: what is predicted is measured, in bits and bytes, at several sizes") {
  for (const std::vector<std::string>& words :
       {kWords,
        {"hidden=48", "ranks=2", "mesh=pp2,tp2", "accumulate=3", "layers=5", "tokens=8", "sequence=on"}}) {
    const Trace trace = words == kWords ? small_run() : run_lesson(kLesson, words);
    check_answers(kLesson, words, trace, 0.001);
    CHECK(unexplained_bytes(trace.rows().ledger) == 0);
    CHECK(kLesson.failed_check(trace) == "");
    for (const char* claim :
         {"dp_copies holds", "tp_splits holds", "tp_batch fails", "pp_layers holds", "four holds",
          "node holds", "plateau holds", "by_v holds", "sequence holds", "crossing holds", "bits holds"}) {
      INFO(claim);
      CHECK(verdicts_of(trace).find(claim) != std::string::npos);
    }
    check_shown(kLesson, trace);
  }
  check_beliefs(kLesson);
  check_says_nothing(kLesson);
}

TEST_CASE("megatron: each claim follows the trace") {
  CHECK(verdicts_of(kLesson, with([](Json&, const std::string&) {})) == verdicts_of(small_run()));
  const auto fails = [](const char* claim, const Doctor& doctor) {
    INFO(claim);
    CHECK(verdict(claim, doctor) == "fails");
  };
  const auto becomes = [](const char* claim, const char* other, const Doctor& doctor) {
    INFO(claim);
    CHECK(verdict_alone(kLesson, claim, small_run()) != other);
    CHECK(verdict(claim, doctor) == other);
  };
  fails("dp_copies", times(kData, "elements", 2, "gradients"));
  fails("tp_splits", [](Json& record, const std::string& of) {
    if (record["type"] == "section" && of == kTensor) record["attributes"]["parameters"] = 1 << 20;
  });
  becomes("tp_batch", "holds", times(kTensor, "bytes_in", 0.5));
  fails("pp_layers", [](Json& record, const std::string& of) {
    if (record["type"] == "span" && of == kPipe && record["name"] == "forward") record["unit"] = "layer 0";
  });
  fails("finer", renamed(kOneMicro, kPipe));
  const double dp = mean_sent(small_run(), kData).dp, tp = mean_sent(small_run(), kTensor).tp,
               pp = mean_sent(small_run(), kPipe).pp;
  fails("volume", [=](Json& record, const std::string& of) {
    times(kTensor, "bytes_sent", dp / tp)(record, of), times(kPipe, "bytes_sent", dp / pp)(record, of);
  });
  fails("node", times(kTensor, "bytes_sent", pp / tp));
  fails("four", [](Json& record, const std::string& of) {
    if (of == kTensor && record["type"] == "collective" && record["tag"] == "activation gradients")
      record["tag"] = "activations";
  });
  becomes("stages", "holds", renamed(kPipeline, kTwoStages));  // the slow schedule
  becomes("negligible", "holds", passes("gpipe", 7, 1000, 0));
  becomes("plateau", "partly", passes(kPipe, 8, 3));
  fails("by_v", renamed("interleaved", "zb_h1"));
  fails("v_bytes", times("interleaved", "bytes_sent", 1.5));
  becomes("zero_bubble", "holds", passes("zb_h1", 8, 0.5));
  becomes("sequence", "partly", times(kSequence, "bytes_sent", 2));
  fails("crossing", times(crossing_section(true, 128), "bytes_sent", 2));
  fails("bits", [](Json& record, const std::string&) {
    if (record["type"] == "row" && record["table"] == "bits" && record["values"][0] == "gpipe")
      record["values"][1] = false;
  });
}

TEST_CASE("megatron: wall time is judged where no other work has the cores") {
  // Each pass computed all the time that it took, `part` of what it took.
  const auto computed = [](double part, double cpu) -> Doctor {
    return [=](Json& record, const std::string& of) {
      if (of != kTwoStages || record["type"] != "row" || record["table"] != "pipeline passes") return;
      const int64_t start = record["values"][5],
                    took = int64_t(part * double(int64_t(record["values"][6]) - start));
      record["values"][6] = start + took, record["values"][7] = int64_t(cpu * double(took));
    };
  };
  CHECK(verdict("clock", computed(1, 0.5)) == "not_testable");
  CHECK(verdict("clock", computed(0.2, 1)) == "fails");
  const WallTimes times = wall_times(with(computed(1, 1)));
  for (size_t i = 0; i < times.wall.size(); ++i) CHECK(times.by_elapsed[i] <= 1.001 * times.wall[i]);
}

TEST_CASE("megatron: a typed schedule runs; one that hangs is refused with the cycle, before anything runs") {
  CHECK(figure_text(kLesson, "schedules", small_run()).find("1f1b") != std::string::npos);
  const Passes own = passes_of(small_run(), kPipeline);
  CHECK(own.schedule.stages == 2);
  CHECK(own.schedule.micro_batches == 5);
  CHECK(time_of(own.schedule, equal_costs(1)).bubble_of_ideal() == Approx(1));
  const std::vector<std::string> hangs = {"pipeline=F0 B0 F1 B1 / F0 F1 B0 B1"};
  Session session(kLesson, scenario_of(kLesson, hangs));
  finishes(session);
  CHECK_THROWS_WITH(session.result(), ContainsSubstring("it hangs") && ContainsSubstring("stage 1"));
  const Config config = scenario_of(kLesson, hangs);
  const FigureSpec& plan = figure_of(kLesson, "plan");
  const auto listing = std::get<figure::Listing>(plan.value({config, Trace()}));
  CHECK(listing.lines.size() >= 3);
  CHECK_THROWS_AS(scenario_of(kLesson, {"pipeline=F0 B0 / F0"}), UsageError);
  CHECK_THROWS_AS(scenario_of(kLesson, {"pipeline=2f2b"}), UsageError);
  CHECK_THROWS_AS(scenario_of(kLesson, {"ranks=5"}), UsageError);  // of 8 heads
  CHECK_THROWS_WITH(run_lesson(kLesson, {"ranks=8"}),
                    ContainsSubstring("ranks=8 with chunks=2 needs layers=16 or more"));
  CHECK_THROWS_AS(run_lesson(kLesson, {"layers=4"}), UsageError);
}

}  // namespace ringside::lessons::megatron
