// The lesson about the parameter server: what its run says, and verdicts that follow from the trace alone.
#include "parameter_server/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::parameter_server {
Lesson make_lesson();
}

namespace ringside::parameter_server_lesson {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("parameter_server", lessons::parameter_server::make_lesson());

// The default scenario, run once.
const Trace& whole() {
  static const Trace trace = run_lesson(kLesson, {});
  return trace;
}

// A small training alone, where the words do not say otherwise.
Trace training(std::vector<std::string> words) {
  const std::vector<std::string> said = words;
  for (const std::string word : {"parts=training", "straggler=none", "workers=3", "steps=12"})
    if (std::ranges::none_of(
            said, [&](const auto& one) { return one.starts_with(word.substr(0, word.find('='))); }))
      words.push_back(word);
  return run_lesson(kLesson, words);
}

struct Doctored {
  double none = 1.2, random = 0.6, slow = 0.4;  // of BSP's time, that ASP takes; each told within 0.05
  double best = 0.7;                            // of SSP(8), with random stragglers
  double idle_slow = 64;                        // % of SSP(8), beside 65
  int64_t lost = 0;                             // with two copies
  double seconds = 0.3;
  int64_t fresh = 800, repeated = 450, hashed = 600, counted = 100, int8 = 100, zstd = 300;
  double pulled = 5, dense = 2, busiest = 1, all_sent = 16;
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create("parameter_server");
  const auto pen = [&](const char* section) -> Recorder& {
    return *store->add_section(section, {}, 1).front();
  };
  Recorder& rules = pen(kRules);
  const auto record = [&](const char* kind, const char* rule, int64_t s, double idle, double ratio) {
    record_row(rules, RuleRow{kind, rule, s, idle, 20 * ratio, 500, ratio, ratio - 0.05, ratio + 0.05});
  };
  for (const auto& [kind, asp] :
       {std::pair("none", of.none), std::pair("random", of.random), std::pair("slow", of.slow)}) {
    record(kind, kBsp, 0, 65, 1);
    record(kind, kFew, kFewStaleness, std::string(kind) == "slow" ? of.idle_slow : 1, of.best);
    record(kind, kAsp, -1, 0, asp);
  }
  Recorder& kills = pen(kKills);
  for (const int64_t copies : {0, 1, 2})
    for (const int64_t killed : {1, 2}) {
      const int64_t lost = copies >= killed ? of.lost : 50;
      record_row(kills, CopyRow{copies, killed, 4, lost > 0 ? 1 : 0, 1000, lost, 0, of.seconds});
    }
  Recorder& bytes = pen(kBytes);
  record_row(bytes, ByteRow{kNone, 800, 400, 0, 0.5, of.pulled});
  record_row(bytes, ByteRow{kInt8, 800, of.int8, 0, 0.5, of.pulled});
  record_row(bytes, ByteRow{kHalf, 800, 200, 0, 0.5, of.pulled});
  record_row(bytes, ByteRow{kPacked, 800, of.zstd, 0, 0.5, of.pulled});
  record_row(bytes, ByteRow{kCaching, of.fresh - 400, 400, 0, 0.5, of.pulled});
  record_row(bytes, ByteRow{kRepeated, of.repeated - 400, 400, 0, 0.5, of.pulled});
  record_row(bytes, ByteRow{kZipped, of.counted, 400, 0, 0.5, of.pulled});
  record_row(bytes, ByteRow{kHashed, of.hashed, 400, 0, 0.5, of.pulled});
  Recorder& traffic = pen(kTraffic);
  for (const auto& [servers, mean, busiest] :
       std::vector<std::array<double, 3>>{{1, 16, 16}, {8, 2, of.busiest}}) {
    record_point(traffic, kMeanServer, servers, mean);
    record_point(traffic, kBusiest, servers, busiest);
    record_point(traffic, kEachWorker, servers, of.dense);
    record_point(traffic, kRingRank, servers, 3.5);
    record_point(traffic, kAllSent, servers, of.all_sent);
    record_point(traffic, kRingSent, servers, 14);
  }
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of = {}) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("parameter server: questions, figures and verdicts of the run", "[one_thread]") {
  check_answers(kLesson, {}, whole(), 0.1);
  check_shown(kLesson, whole());
  const std::map<std::string, std::vector<const char*>> verdicts = {
      {"holds", {"ring", "paper", "convergence"}},
      {"partly", {"stateless", "at_once", "whole", "values", "keys", "caching", "cheaper", "asynchronous"}},
      {"fails", {"slow"}}};
  for (const auto& [verdict, claims] : verdicts)
    for (const char* claim : claims) {
      INFO(claim);
      CHECK(verdict_alone(kLesson, claim, whole()) == verdict);
    }
}

TEST_CASE("parameter server: a doctored trace changes each verdict") {
  CHECK(verdicts_of(kLesson, doctored_trace({})) ==
        "stateless not_testable, ring holds, at_once partly, whole partly, values partly, keys partly, "
        "caching partly, cheaper partly, convergence partly, paper not_testable, best not_testable, "
        "asynchronous partly, slow fails");
  CHECK(verdict("ring", {.lost = 1}) == "fails");
  CHECK(verdict("at_once", {.seconds = 0.001}) == "holds");
  CHECK(verdict("at_once", {.lost = 1}) == "fails");
  CHECK(verdict("whole", {.dense = 0.2}) == "fails");
  CHECK(verdict("whole", {.pulled = 90}) == "holds");
  CHECK(verdict("values", {.zstd = 100}) == "holds");
  CHECK(verdict("values", {.int8 = 390}) == "fails");
  CHECK(verdict("keys", {.hashed = 700, .counted = 700}) == "holds");
  CHECK(verdict("caching", {.fresh = 500}) == "holds");
  CHECK(verdict("caching", {.repeated = 900}) == "fails");
  CHECK(verdict("cheaper", {.all_sent = 10}) == "fails");
  CHECK(verdict("cheaper", {.busiest = 5}) == "holds");
  CHECK(verdict("asynchronous", {.none = 0.9}) == "holds");
  CHECK(verdict("asynchronous", {.random = 1.01, .slow = 1.2}) == "fails");
  CHECK(verdict("best", {.random = 0.5}) == "holds");
  CHECK(verdict("best", {.random = 0.9}) == "fails");
  CHECK(verdict("convergence", {.best = 0.97}) == "fails");
  CHECK(verdict("slow", {.idle_slow = 10}) == "holds");
  check_says_nothing(kLesson);
}

TEST_CASE("parameter server: copies triple what a server carries, and keep every push", "[one_thread]") {
  const auto at = [](const char* node, double servers) { return traffic_at(whole(), node, servers); };
  for (const double servers : {4, 8, 16}) {
    CHECK(at(kMeanServer, servers) == Approx(2 * 8 / servers).epsilon(0.03));
    CHECK(at(kCopied, servers) == Approx(6 * 8 / servers).epsilon(0.12));  // a forward repeats what it is of
  }
  CHECK(at(kBoth, 8) == Approx(at(kRingRank, 8)).epsilon(0.03));
  CHECK(at(kAllSent, 4) == Approx(16).epsilon(0.03));
  const auto lost = [](const char* kill, const char* copies) {
    return rows_in<LostRange>(training({kill, copies, "steps=20"}).find(kTraining)).size();
  };
  CHECK(lost("kill=server4", "copies=0") > 0);
  CHECK(lost("kill=server4", "copies=1") == 0);
  CHECK(lost("kill=server3,server4", "copies=1") > 0);
  CHECK(lost("kill=server3,server4", "copies=2") == 0);
  const auto ring = [](std::vector<std::string> words) {
    const Trace trace = training(words);
    words.push_back("parts=training");
    const Config config = scenario_of(kLesson, words);
    const auto spec = std::ranges::find(kLesson.figures, std::string("ring"), &FigureSpec::id);
    return figure::sentence(kLesson, *spec, default_input(config, *spec, trace));
  };
  CHECK(ring({"copies=1"}) == "Each range of keys has an owner, and 1 copy on the next servers of the ring.");
  CHECK(ring({"kill=server3,server4", "steps=20", "copies=2"}) ==
        "Dead: server 3, server 4. Each range has an owner that lives, and at least 1 copy.");
  const Trace trace = training({"copies=2", "straggler=random"});
  const auto lanes = std::get<figure::Lanes>(figure_value(kLesson, "messages", trace));
  std::vector<std::string> tags;
  for (const figure::LaneArrow& arrow : lanes.arrows) tags.push_back(arrow.name);
  CHECK(tags == std::vector<std::string>{"push", "forward", "forward", "stored", "stored", "pushed"});
  CHECK(lanes.lanes.size() == 4);
}

TEST_CASE("parameter server: an added worker trains, a slow one is behind as allowed", "[one_thread]") {
  const Trace trace = training({"kill=worker1", "add=worker"});
  const SectionView& section = *trace.find(kTraining);
  const int added = 3 + 4 + 1;
  REQUIRE(section.ranks() == added + 1);
  CHECK(section.life(1).ended_ns < section.life(added).began_ns);
  const auto spans = section.spans(added);
  REQUIRE(!spans.empty());
  CHECK(spans[0].step > 2);
  CHECK(spans.back().step == 11);
  const auto most_behind = [](std::vector<std::string> words) {
    words.insert(words.end(), {"parts=training", "straggler=slow", "steps=30", "workers=3"});
    int64_t most = 0;
    for (const WorkerRead& row : rows_in<WorkerRead>(run_lesson(kLesson, words)))
      most = std::max(most, row.staleness);
    return most;
  };
  CHECK(most_behind({"consistency=bsp"}) == 0);
  CHECK(most_behind({"consistency=ssp", "staleness=3"}) == 3);
  CHECK(most_behind({"consistency=asp"}) > 15);
}

TEST_CASE("parameter server: what is killed must exist, and a malformed word is refused") {
  for (const char* word : {"kill=server9", "kill=server1,server2,server3,server4"})
    CHECK_THROWS_AS(training({word}), UsageError);
  for (const char* word : {"kill=server", "kill=node1", "kill=server100", "kill=server2;worker1"})
    CHECK_THROWS_AS(scenario_of(kLesson, {word}), UsageError);
}

}  // namespace ringside::parameter_server_lesson
