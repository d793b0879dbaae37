// The ring's transfers against the algorithm's own promise, and what the picture does with them.
#include <catch.h>

#include "ringside/widgets/ring_view.h"
#include "windowless.h"

using namespace ringside;
using ringside::test::Windowless;

namespace {

struct Ring : Windowless {
  explicit Ring(int ranks, bool direct = false, ImVec2 size = {900, 480}, float scale = 1,
                ui::Mode mode = ui::Mode::kDark)
      : Windowless(size.x * scale, size.y * scale, scale, mode),
        transfers(direct ? ui::direct_transfers(ranks, Op::kAllReduce)
                         : ui::ring_transfers(ranks, Op::kAllReduce)) {
    data.ranks = ranks;
    data.op = Op::kAllReduce;
    data.transfers = &transfers;
    show([this] {
      if (const auto step = view.draw("ring", ImGui::GetContentRegionAvail(), data)) data.step = *step;
    });
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

TEST_CASE("the ring is drawn without a fault at every size, scale, theme, number of ranks and step") {
  const float scale = GENERATE(1.0f, 2.0f);
  const ui::Mode mode = GENERATE(ui::Mode::kDark, ui::Mode::kLight);
  const auto size = GENERATE(ImVec2(900, 480), ImVec2(480, 320), ImVec2(240, 200));
  const int ranks = GENERATE(0, 1, 4, 8);
  const bool direct = GENERATE(false, true);
  CAPTURE(scale, size.x, ranks, direct);
  Ring ring(ranks, direct, size, scale, mode);
  for (const double step : {0.0, 0.1, 0.5, 0.9, 1.0, 1.7, 99.0}) {
    ring.data.step = step;
    ring.frames();
    CAPTURE(step);
    CHECK(ring.faults() == "");
    CHECK(ring.vertices() > 20);
  }
  ring.data = {};
  ring.frames();
  CHECK(ring.faults() == "");
}

TEST_CASE("keys and slider choose a step") {
  Ring ring(4);
  ring.view.focus();
  ring.frames(2);
  ring.press(ui::Key::kRight);
  ring.press(ui::Key::kRight);
  CHECK(ring.data.step == 2);
  ring.press(ui::Key::kLeft);
  CHECK(ring.data.step == 1);
  ring.press(ui::Key::kEnd);
  ring.press(ui::Key::kRight);
  CHECK(ring.data.step == 6);
  ring.press(ui::Key::kHome);
  ring.press(ui::Key::kLeft);
  CHECK(ring.data.step == 0);
  REQUIRE(ring.mouse_to("ring.slider"));
  ring.frames();
  ring.button(true);
  ring.frames();
  CHECK(ring.data.step == 3);
  ring.button(false);
  ring.frames();
  const size_t whole = ring.vertices();
  ring.data.step = 3.5;  // chunks are under way
  ring.frames();
  CHECK(ring.vertices() > whole);
}
