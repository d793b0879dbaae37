// Columns of blocks: what they draw, what can be pointed at, and what moves between them.
#include <catch.h>

#include "ringside/widgets/block_columns.h"
#include "synthetic_section.h"
#include "windowless.h"

using namespace ringside;
using ringside::test::Windowless;

namespace {

struct Hero : Windowless {
  explicit Hero(int ranks, bool complete = true, ImVec2 size = {1000, 600}, float scale = 1,
                ui::Mode mode = ui::Mode::kDark)
      : Windowless(size.x * scale, size.y * scale, scale, mode), made(test::small_section(ranks, complete)) {
    memory.update(made.section);
    data.trace = &made.trace;
    data.memory = &memory;
    data.time_ns = made.busy_ns;
    data.range_bytes = static_cast<double>(memory.highest());
    data.formulas = {{3e6, "16Ψ/N = 3.00 MB"}, {3.1e6, "2Ψ+14Ψ/N = 3.10 MB"}};
    data.guesses = {{2e6, "you 2.00"}};
    data.ghost.assign(static_cast<size_t>(ranks), {1000000, 500000, 2000000});
    data.ghost_label = "stage 0, pinned";
    data.flights = ui::flights_at(made.section, made.trace, made.busy_ns);
    show([this] {
      const ui::BlockColumnsEvents now = columns.draw("hero", ImGui::GetContentRegionAvail(), data);
      if (now.clicked) clicked = now.clicked, clicked_rank = now.clicked_rank;
      cleared = cleared || now.cleared;
      if (now.swept) data.outlined = *(swept = now.swept);
      entered = entered || now.entered;
    });
  }

  test::Synthetic made;
  ui::MemoryHistory memory;
  ui::BlockColumns columns;
  ui::BlockColumnsData data;
  std::optional<ui::BlockId> clicked;
  int clicked_rank = -1;
  bool cleared = false, entered = false;
  std::optional<double> swept;
};

}  // namespace

TEST_CASE("block columns are drawn without a fault at every size, scale, theme and number of ranks") {
  const float scale = GENERATE(1.0f, 2.0f);
  const ui::Mode mode = GENERATE(ui::Mode::kDark, ui::Mode::kLight);
  const auto size = GENERATE(ImVec2(1056, 560), ImVec2(480, 320), ImVec2(240, 200));
  const int ranks = GENERATE(1, 4, 8);
  const bool complete = GENERATE(true, false);
  CAPTURE(scale, size.x, ranks, complete);
  Hero hero(ranks, complete, size, scale, mode);
  hero.frames(3);
  CHECK(hero.faults() == "");
  CHECK(hero.vertices() > 300);
  hero.data.highlight = ui::BlockId{Category::kOptimizer, 0, hero.made.store->intern("bucket 1")};
  hero.frames();
  CHECK(hero.faults() == "");
}

TEST_CASE("block columns without anything to show") {
  Hero hero(4);
  hero.data.time_ns = 0;  // nothing is allocated yet
  hero.frames();
  CHECK(ui::find_item("hero.r0.P") == nullptr);
  hero.data = {};
  hero.frames(2);
  CHECK(hero.faults() == "");
}

TEST_CASE("a clicked block is returned by what it is; a legend stands under the columns") {
  Hero hero(4);
  hero.click("hero.r2.O.bucket 1");
  REQUIRE(hero.clicked);
  CHECK(hero.clicked->category == Category::kOptimizer);
  CHECK(hero.made.trace.name(hero.clicked->tensor) == "bucket 1");
  CHECK(hero.clicked_rank == 2);
  CHECK_FALSE(hero.cleared);
  hero.click(ImVec2{990, 20});
  CHECK(hero.cleared);
  hero.frames();
  const ui::Item plain = *ui::find_item("hero.legend");
  CHECK(plain.min.y >= ui::find_item("hero.r0.P")->max.y);
  const size_t before = hero.vertices();
  hero.data.kind = [](const ui::BlockId&, int rank, int64_t) { return ui::BlockKind{4, rank}; };
  hero.frames();
  CHECK(hero.vertices() > before + 4 * 4 * 4);
  CHECK(hero.faults() == "");
}

TEST_CASE("blocks lie upon each other in proportion to their bytes") {
  Hero hero(2);
  hero.frames(2);
  const auto height = [](const char* name) {
    const ui::Item* item = ui::find_item(name);
    REQUIRE(item != nullptr);
    return item->max.y - item->min.y;
  };
  const double p = static_cast<double>(hero.memory.total(0, Category::kParameters, hero.data.time_ns));
  const double o = static_cast<double>(hero.memory.total(0, Category::kOptimizer, hero.data.time_ns));
  CHECK(height("hero.r0.O") / height("hero.r0.P") == Approx(o / p).epsilon(0.05));
  CHECK(ui::find_item("hero.r0.P")->min.y == ui::find_item("hero.r0.G")->max.y);
  CHECK(ui::find_item("hero.r0.G")->min.y == ui::find_item("hero.r0.O")->max.y);
}

TEST_CASE("a chosen block is lit where its bytes are equal, and an outline where they are not") {
  using Same = ui::BlockKind::Same;
  const Same same = GENERATE(Same::kEqual, Same::kDifferent, Same::kUnknown);
  Hero hero(4);
  hero.data.kind = [&](const ui::BlockId&, int rank, int64_t) { return ui::BlockKind{4, rank, same}; };
  hero.data.highlight = ui::BlockId{Category::kOptimizer, 0, hero.made.store->intern("bucket 1")};
  hero.data.highlight_rank = 1;
  hero.frames(2);
  CHECK(hero.faults() == "");
  int lit = 0, hollow = 0;
  for (int rank = 0; rank < 4; ++rank) {
    lit += ui::find_item("hero.lit.r" + std::to_string(rank)) != nullptr;
    hollow += ui::find_item("hero.hollow.r" + std::to_string(rank)) != nullptr;
  }
  CHECK(ui::find_item("hero.lit.r1") != nullptr);
  CHECK(lit == (same == Same::kEqual ? 4 : 1));
  CHECK(hollow == (same == Same::kDifferent ? 3 : 0));
  hero.data.highlight_rank = -1;  // on all ranks
  hero.frames(2);
  for (int rank = 0; rank < 4; ++rank) CHECK(ui::find_item("hero.lit.r" + std::to_string(rank)) != nullptr);
}

TEST_CASE("copies are swept over the columns: by mouse, by column with arrows, kept with Enter") {
  Hero hero(4);
  hero.data.sweeps = true;
  hero.frames();
  const ui::Item last = *ui::find_item("hero.r3.P"), second = *ui::find_item("hero.r1.P");
  hero.mouse_to(ImVec2{last.max.x + 5, last.min.y});
  hero.frames();
  hero.button(true);
  hero.frames();
  CHECK(hero.swept == 0.0);
  hero.mouse_to(ImVec2{second.min.x - 5, second.min.y});
  hero.frames();
  CHECK(hero.swept == 3.0);
  hero.mouse_to(ImVec2{(second.min.x + second.max.x) / 2, second.min.y});
  hero.frames();
  CHECK(*hero.swept == Approx(2.5).margin(0.02));
  hero.data.outlined_label = "62 % are copies, you say";
  hero.button(false);
  hero.frames();
  CHECK(hero.faults() == "");
  hero.columns.focus();
  hero.frames(2);
  hero.press(ui::Key::kLeft);
  CHECK(hero.swept == 3.0);
  hero.press(ui::Key::kRight);
  CHECK(hero.swept == 2.0);
  hero.press(ui::Key::kEnter);
  CHECK(hero.entered);
  CHECK_FALSE(hero.clicked);
}

TEST_CASE("blocks that are equal fall into the first column, the others stay") {
  Hero hero(4);
  hero.data.kind = [&](const ui::BlockId& id, int, int64_t) {
    const bool equal = id.category == Category::kParameters;
    return ui::BlockKind{4, -1, equal ? ui::BlockKind::Same::kEqual : ui::BlockKind::Same::kDifferent};
  };
  size_t before = 0;
  for (const float fallen : {0.0f, 0.001f, 0.5f, 1.0f}) {
    hero.data.fallen = fallen;
    hero.data.outlined_label = "of 48 blocks 12 have rank 0's hash";
    hero.frames(2);
    CHECK(hero.faults() == "");
    if (fallen == 0) before = hero.vertices();
    if (fallen > 0) CHECK(hero.vertices() != before);
  }
}

TEST_CASE("arrows walk over blocks and ranks, Enter selects") {
  Hero hero(4);
  hero.columns.focus();
  hero.frames(2);
  REQUIRE(ui::canvas_has_keys());
  hero.press(ui::Key::kUp);  // the lowest block of rank 0
  hero.press(ui::Key::kUp);
  hero.press(ui::Key::kRight);
  hero.press(ui::Key::kRight);
  hero.press(ui::Key::kEnter);
  REQUIRE(hero.clicked);
  CHECK(hero.clicked->category == Category::kParameters);
  CHECK(hero.made.trace.name(hero.clicked->tensor) == "bucket 1");
  CHECK(hero.clicked_rank == 2);
  hero.press(ui::Key::kEscape);
  CHECK(hero.cleared);
}

TEST_CASE("arrows stay in the column, and find the same block at another height") {
  Hero hero(2);
  test::Synthetic made;
  made.store = TraceStore::create("two");
  made.recorders = made.store->add_section("s", {}, 2);
  for (int rank = 0; rank < 2; ++rank) {
    test::RankWriter pen(*made.store, *made.recorders[static_cast<size_t>(rank)]);
    pen.memory(1, Category::kParameters, "", "bucket 0", rank == 0 ? 1000000 : 2500000);
    for (int b = 1; b < 4; ++b)
      pen.memory(1, Category::kParameters, "", "bucket " + std::to_string(b), 1000000);
  }
  made.snapshot();
  hero.memory.update(made.section);
  hero.data.trace = &made.trace;
  hero.data.time_ns = 1;
  hero.columns.focus();
  hero.frames(2);
  for (int i = 0; i < 9; ++i) hero.press(ui::Key::kUp);
  hero.press(ui::Key::kEnter);
  CHECK(hero.clicked_rank == 0);
  CHECK(made.trace.name(hero.clicked->tensor) == "bucket 3");
  hero.press(ui::Key::kDown);
  hero.press(ui::Key::kRight);
  hero.press(ui::Key::kEnter);
  CHECK(hero.clicked_rank == 1);
  CHECK(made.trace.name(hero.clicked->tensor) == "bucket 2");
  hero.press(ui::Key::kRight);  // there is no third rank
  hero.press(ui::Key::kEnter);
  CHECK(hero.clicked_rank == 1);
}

TEST_CASE("thousands of small tensors are drawn as what can be seen of them") {
  Hero hero(1);
  hero.frames();
  test::Synthetic made;
  made.store = TraceStore::create("many");
  made.recorders = made.store->add_section("s", {}, 1);
  test::RankWriter pen(*made.store, *made.recorders[0]);
  for (int i = 0; i < 5000; ++i) pen.memory(1, Category::kGradients, "", "tensor " + std::to_string(i), 600);
  pen.memory(1, Category::kGradients, "", "large", 1000000);
  pen.memory(1, Category::kOptimizer, "", "step", 4);
  made.snapshot();
  hero.memory.update(made.section);
  hero.data.trace = &made.trace;
  hero.data.time_ns = 1;
  hero.data.flights.clear();
  hero.frames();
  CHECK(hero.vertices() < 3000);
  CHECK(ui::find_item("hero.r0.G.tensor 7") == nullptr);
  CHECK(ui::find_item("hero.r0.G.large") != nullptr);
  CHECK(ui::find_item("hero.r0.O") != nullptr);  // however small
  const ui::Item* all = ui::find_item("hero.r0.G");
  REQUIRE(all != nullptr);
  CHECK(all->max.y - all->min.y > 100);
  // One block for the thin ones: the next one is the large one.
  hero.columns.focus();
  hero.frames(2);
  for (int i = 0; i < 2; ++i) hero.press(ui::Key::kUp);
  hero.press(ui::Key::kEnter);
  REQUIRE(hero.clicked);
  CHECK(made.trace.name(hero.clicked->tensor) == "large");
}

TEST_CASE("flights are what is under way at that instant; short names and round ends of axes") {
  const test::Synthetic made = test::small_section(4);
  const auto flights = ui::flights_at(made.section, made.trace, made.busy_ns);
  // A reduce-scatter under way on each of the four ranks, from each of its three peers; one gather waits on
  // each.
  CHECK(std::count_if(flights.begin(), flights.end(),
                      [](const auto& f) { return f.op == Op::kReduceScatter; }) == 12);
  CHECK(std::count_if(flights.begin(), flights.end(), [](const auto& f) { return f.waiting; }) == 4);
  for (const ui::Flight& flight : flights) {
    if (flight.waiting) continue;
    CHECK(flight.progress == Approx(0.5));
    CHECK(flight.label == "b3");
  }
  CHECK(ui::flights_at(made.section, made.trace, made.busy_ns - 1000000000).empty());
  CHECK(ui::flights_at(made.section, made.trace, made.end_ns + 1000000000).empty());
  CHECK(ui::short_name("layer 2", "gathered") == "L2");
  CHECK(ui::short_name("", "bucket 13") == "b13");
  CHECK(ui::short_name("", "model.layers.3.mlp.down_proj.weight") == "L3 down_proj");
  CHECK(ui::short_name("embedding", "") == "embedding");
  CHECK(ui::short_name("", "") == "");
  constexpr double kMiB = 1048576;
  CHECK(ui::round_bytes_up(5.4 * kMiB) == 6 * kMiB);
  CHECK(ui::round_bytes_up(16 * kMiB) == 16 * kMiB);
  CHECK(ui::round_bytes_up(16.1 * kMiB) == 20 * kMiB);
  CHECK(ui::round_bytes_up(26.3 * kMiB) == 28 * kMiB);
  CHECK(ui::round_bytes_up(0) == 64);
  CHECK(ui::short_bytes(1024) == "1 KiB");
  CHECK(ui::short_bytes(16 * kMiB) == "16 MiB");
  CHECK(ui::short_bytes(1.5 * kMiB) == "1.5 MiB");
  CHECK(ui::short_bytes(0.5 * kMiB, 2 * kMiB) == "0.5 MiB");
}

TEST_CASE("a million events: columns cost what is held, not what happened") {
  const test::Synthetic made = test::huge_section(8, 1000000);
  Hero hero(8, true, {1056, 560});
  hero.memory.update(made.section);
  hero.data.trace = &made.trace;
  hero.data.range_bytes = static_cast<double>(hero.memory.highest());
  hero.frames();
  RandomStream random(5, "jumps");
  for (int i = 0; i < 40; ++i) {
    const uint64_t moved = hero.memory.events_moved();
    hero.data.time_ns = static_cast<int64_t>(random.below(static_cast<uint64_t>(made.end_ns)));
    hero.data.flights = ui::flights_at(made.section, made.trace, hero.data.time_ns);
    hero.frames();
    CHECK(hero.memory.events_moved() - moved <= 8 * kCategoryCount * 1024);
    CHECK(hero.vertices() < 64000);
  }
  CHECK(hero.faults() == "");
}
