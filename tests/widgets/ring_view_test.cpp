// The ring's transfers against the algorithm's own promise, and what the picture does with them.
#include <catch.h>

#include "ringside/widgets/ring_view.h"
#include "synthetic_section.h"
#include "windowless.h"

using namespace ringside;
using ringside::test::Windowless;

namespace {

struct Ring {
  Ring(int ranks, Op op, bool direct = false)
      : transfers(direct ? ui::direct_transfers(ranks, op) : ui::ring_transfers(ranks, op)) {
    data.ranks = ranks;
    data.op = op;
    data.transfers = &transfers;
  }
  void frame(Windowless& room) {
    room.in_window([&] {
      if (const auto step = view.draw("ring", ImGui::GetContentRegionAvail(), data)) data.step = *step;
    });
  }
  void press(Windowless& room, ui::Key key) {
    room.key(key, true);
    frame(room);
    room.key(key, false);
    frame(room);
  }
  std::vector<ui::Transfer> transfers;
  ui::RingView view;
  ui::RingData data;
};

}  // namespace

TEST_CASE("ring and direct transfers end where a reduce-scatter, an all-gather and an all-reduce must end") {
  const int n = GENERATE(2, 3, 4, 8);
  const bool direct = GENERATE(false, true);
  CAPTURE(n, direct);
  const auto transfers = [&](Op op) {
    return direct ? ui::direct_transfers(n, op) : ui::ring_transfers(n, op);
  };
  const auto scattered = ui::contributions(n, Op::kReduceScatter, transfers(Op::kReduceScatter), 99);
  for (int r = 0; r < n; ++r) CHECK(scattered[r][r] == n);
  for (const Op op : {Op::kAllGather, Op::kAllReduce})
    for (const auto& rank : ui::contributions(n, op, transfers(op), 99))
      for (const int count : rank) CHECK(count == n);
  CHECK(ui::steps_of(transfers(Op::kAllReduce)) == (direct ? 2 : 2 * (n - 1)));
  // Either way every rank sends 2 (N-1) chunks.
  CHECK(transfers(Op::kAllReduce).size() == static_cast<size_t>(2 * n * (n - 1)));
  CHECK(ui::contributions(n, Op::kAllReduce, transfers(Op::kAllReduce), 0)[0][0] == 1);
}

TEST_CASE("the ring sends the textbook's chunks, only to the next rank") {
  for (const ui::Transfer& t : ui::ring_transfers(3, Op::kAllReduce)) {
    CHECK(t.to == (t.from + 1) % 3);
    if (t.from != 0) continue;
    constexpr int kChunks[] = {2, 1, 0, 2};  // of rank 0
    CHECK(t.chunk == kChunks[t.step]);
    CHECK(t.adds == (t.step < 2));
  }
  CHECK(ui::ring_transfers(1, Op::kAllReduce).empty());
  CHECK(ui::ring_transfers(4, Op::kBarrier).empty());
}

TEST_CASE("recorded sends become transfers of the ring that carried them") {
  test::Synthetic made;
  made.store = TraceStore::create("ring");
  made.recorders = made.store->add_section("s", {}, 4);
  for (int rank = 0; rank < 4; ++rank) {
    for (int i = 0; i < 15; ++i) {  // two rings of six, and one that is still on its way
      CollectiveEvent event;
      event.op = Op::kSend;
      event.group = made.store->intern("dp");
      event.tag = made.store->intern("gradients");
      event.unit = made.store->intern("bucket 0");
      event.peer = (rank + 1) % 4;
      event.collective_seq_id = i;
      made.recorders[static_cast<size_t>(rank)]->collective(event);
      event.state = CollectiveState::kStarted;
      event.time_started_ns = 100 * i + rank;
      made.recorders[static_cast<size_t>(rank)]->collective(event);
      event.state = CollectiveState::kCompleted;
      event.time_completed_ns = 100 * i + 90;
      if (i < 14) made.recorders[static_cast<size_t>(rank)]->collective(event);
    }
  }
  made.snapshot();
  const auto of = [&](int occurrence) {
    return ui::transfers_of(made.trace, made.section, Op::kAllReduce, "gradients", "bucket 0", occurrence);
  };
  const auto second = of(1), expected = ui::ring_transfers(4, Op::kAllReduce);
  REQUIRE(second.size() == expected.size());
  for (size_t i = 0; i < second.size(); ++i) {
    CHECK(second[i].step == expected[i].step);
    CHECK(second[i].chunk == expected[i].chunk);
    CHECK(second[i].from == expected[i].from);
    CHECK(second[i].to == expected[i].to);
    CHECK(second[i].start_ns == 100 * (6 + second[i].step) + second[i].from);
  }
  CHECK(of(2).size() == 12);  // three steps of four ranks
  CHECK(of(2).back().end_ns == 0);
  CHECK(of(3).empty());
  CHECK(ui::transfers_of(made.trace, made.section, Op::kAllReduce, "parameters").empty());
}

TEST_CASE("the ring is drawn without a fault at every size, scale, theme, number of ranks and step") {
  const float scale = GENERATE(1.0f, 2.0f);
  const ui::Mode mode = GENERATE(ui::Mode::kDark, ui::Mode::kLight);
  const auto size = GENERATE(ImVec2(900, 480), ImVec2(480, 320), ImVec2(240, 200));
  const int ranks = GENERATE(0, 1, 4, 8);
  const bool direct = GENERATE(false, true);
  CAPTURE(scale, size.x, ranks, direct);
  Windowless room(size.x * scale, size.y * scale, scale, mode);
  Ring ring(ranks, Op::kAllReduce, direct);
  for (const double step : {0.0, 0.1, 0.5, 0.9, 1.0, 1.7, 99.0}) {
    ring.data.step = step;
    ring.frame(room);
    CAPTURE(step);
    CHECK(room.faults() == "");
    CHECK(room.vertices() > 20);
  }
  ui::RingView view;
  room.in_window([&] { view.draw("none", {200, 150}, {}); });
  CHECK(room.faults() == "");
}

TEST_CASE("keys and slider choose a step; time moves what was recorded") {
  Windowless room(900, 480);
  Ring ring(4, Op::kAllReduce);
  ring.view.focus();
  for (int i = 0; i < 2; ++i) ring.frame(room);
  ring.press(room, ui::Key::kRight);
  ring.press(room, ui::Key::kRight);
  CHECK(ring.data.step == 2);
  ring.press(room, ui::Key::kLeft);
  CHECK(ring.data.step == 1);
  ring.press(room, ui::Key::kEnd);
  ring.press(room, ui::Key::kRight);
  CHECK(ring.data.step == 6);
  ring.press(room, ui::Key::kHome);
  ring.press(room, ui::Key::kLeft);
  CHECK(ring.data.step == 0);
  REQUIRE(room.mouse_to("ring.slider"));
  ring.frame(room);
  room.button(true);
  ring.frame(room);
  CHECK(ring.data.step == 3);
  room.button(false);
  ring.frame(room);

  for (ui::Transfer& t : ring.transfers) t.start_ns = 100 * t.step, t.end_ns = 100 * t.step + 100;
  ring.data.time_ns = 250;
  ring.frame(room);
  const size_t between = room.vertices();
  CHECK(room.faults() == "");
  ring.data.time_ns = 300;
  ring.frame(room);
  CHECK(room.vertices() != between);
}
