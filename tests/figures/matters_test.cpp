#include <catch.h>

#include "ringside/figures/matters.h"
#include "ringside/trace/trace.h"

namespace ringside::figure {
namespace {

using Matters = std::vector<std::string>;

// Two ranks: forward until 200, a call from 100 to 300, a message from 400 to 600, a note at 700.
Trace recorded() {
  const auto store = TraceStore::create("example");
  const auto pens = store->add_section("stage 2", {}, 2);
  const NameId gradients = store->intern("gradients"), push = store->intern("push");
  for (Recorder* pen : pens) {
    pen->span("forward", 50, 200 + pen->rank(), 0);
    CollectiveEvent call{.tag = gradients, .rank = pen->rank(), .collective_seq_id = 1, .op = Op::kAllReduce};
    call.time_created_ns = 100;
    pen->collective(call);
    call.time_started_ns = 150, call.state = CollectiveState::kStarted;
    pen->collective(call);
    call.time_completed_ns = 300, call.state = CollectiveState::kCompleted;
    pen->collective(call);
  }
  MessageEvent message{.id = 1, .time_sent_ns = 400, .tag = push, .from = 0, .to = 1};
  pens[0]->message(message);
  message.time_received_ns = 600, message.rank = 1, message.state = MessageState::kReceived;
  pens[1]->message(message);
  pens[0]->note(NoteEvent{.time_ns = 700, .name = store->intern("crash")});
  return store->snapshot();
}

}  // namespace

TEST_CASE("what happens at an instant: phases, calls and messages under way, notes so far") {
  const Trace trace = recorded();
  const SectionView& section = *trace.find("stage 2");
  const auto at = [&](int64_t time_ns) { return happening_at(trace, section, time_ns); };
  CHECK(at(20).empty());
  CHECK(at(120) == Happening{{"forward", 50}, {"gradients", 100}, {"all_reduce", 100}});
  CHECK(at(201) == Happening{{"forward", 50}, {"gradients", 100}, {"all_reduce", 100}});
  CHECK(at(299) == Happening{{"gradients", 100}, {"all_reduce", 100}});
  CHECK(at(350).empty());
  CHECK(at(500) == Happening{{"push", 400}});
  CHECK(at(650).empty());
  CHECK(at(800) == Happening{{"crash", 700}});
}

TEST_CASE("a figure matters in the sections and from the events that it names, the newest of them") {
  const Trace trace = recorded();
  const SectionView& section = *trace.find("stage 2");
  const Happening now{{"forward", 50}, {"gradients", 100}};
  const auto since = [&](const Matters& matters) { return matters_since(matters, section, now); };
  CHECK_FALSE(since({}));
  CHECK_FALSE(since({"stage 3"}));
  CHECK_FALSE(since({"stage 2::crash"}));
  CHECK(since({"stage 2::forward"}) == 50);
  CHECK(since({"stage *::forward", "::gradients"}) == 100);
  CHECK_FALSE(since({"proof::forward"}));
  CHECK(since({"stage *"}) < since({"::forward"}));  // a section is older than what happens in it
}

}  // namespace ringside::figure
