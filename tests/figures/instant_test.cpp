#include <catch.h>

#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/figures/instant.h"
#include "ringside/lesson/config.h"

namespace ringside {
namespace {

// Two sections of two steps; step s of the first begins at 1000 (s + 1).
Trace two_sections() {
  const auto store = TraceStore::create("example");
  for (const char* name : {"stage 2", "stage 2: slow"}) {
    for (Recorder* recorder : store->add_section(name, {}, 2)) {
      for (int64_t step = 0; step < 2; ++step) {
        const int64_t at = 1000 * (step + 1);
        recorder->span("forward", at, at + 300, step, "layer 0");
        recorder->span("forward", at + 300, at + 400, step, "layer 1");
        if (step == 1) recorder->span("update", at + 400, at + 500, step);
        recorder->span("step", at, at + 500 + recorder->rank(), step);
      }
    }
  }
  return store->snapshot();
}

std::string refusal(const std::string& text, const Trace& trace) {
  const Config config = Config::parse("example", {}, {});
  return message_of<UsageError>([&] { parse_instant(text, config, trace); }, "");
}

}  // namespace

TEST_CASE("an instant is a section's end, a step's, or a phase's, on rank 0") {
  const Trace trace = two_sections();
  const Config config = Config::parse("example", {}, {});
  const auto at = [&](const std::string& text) { return parse_instant(text, config, trace); };
  CHECK(at("stage 2").section->name() == "stage 2");
  CHECK(at("stage 2").time_ns == 2501);  // of whichever rank
  CHECK(at("stage 2:0").time_ns == 1500);
  CHECK(at("stage 2:0:forward").time_ns == 1400);
  CHECK(at("stage 2::forward").time_ns == 2400);
  CHECK(at("stage 2: slow:1:update").section->name() == "stage 2: slow");  // the longest name that fits

  FigureSpec spec;
  CHECK(default_input(config, spec, trace).section->name() == "stage 2: slow");
  spec.section = "stage 2";
  CHECK(default_input(config, spec, trace).section->name() == "stage 2");
  CHECK(default_input(config, spec, trace).time_ns == 2501);
  CHECK(default_input(config, spec, Trace()).section == nullptr);
}

TEST_CASE("a section ends with the first rank that is done, but goes on behind one that has gone") {
  const auto store = TraceStore::create("example");
  const std::vector<Recorder*> ranks = store->add_section("section", {}, 2);
  const auto last = [&] { return time_range(*store->snapshot().find("section")).last; };
  ranks[0]->span("step", 10, 100);
  ranks[1]->span("step", 10, 900);
  CHECK(last() == 100);
  ranks[0]->end();
  CHECK(last() == 900);
  ranks[1]->end();
  CHECK(last() == 900);
}

TEST_CASE(
    "who tells memory and scalars alone is not waited for, and is what there is where nobody does more") {
  const auto store = TraceStore::create("example");
  const std::vector<Recorder*> ranks = store->add_section("section", {}, 2);
  const auto range = [&] { return time_range(*store->snapshot().find("section")); };
  for (const int64_t time_ns : {10, 20}) ranks[1]->memory({.time_ns = time_ns, .live_bytes = time_ns});
  for (const int64_t time_ns : {5, 40}) ranks[1]->scalar({.time_ns = time_ns});
  CHECK(range().first == 5);
  CHECK(range().last == 40);
  ranks[0]->span("step", 8, 100);
  CHECK(range().last == 100);
}

TEST_CASE("what there is not is refused with what there is") {
  const Trace trace = two_sections();
  CHECK(refusal("stage 3:1", trace) ==
        "--at stage 3:1: there is no section 'stage 3' (did you mean stage 2?); there are: stage 2, stage 2: "
        "slow");
  CHECK(refusal("stage 2:7", trace) == "--at stage 2:7: section 'stage 2' has no step 7; there are: 0 to 1");
  CHECK(refusal("stage 2:0:update", trace) ==
        "--at stage 2:0:update: there is no phase 'update'; there are: forward, step");
  CHECK(refusal("stage 2:one", trace).find("'one' is no step") != std::string::npos);
  CHECK(refusal("", trace).find("which section?") != std::string::npos);
  CHECK(refusal("stage 2", Trace()) == "--at stage 2: the run has no section");
}

}  // namespace ringside
