// A run that is watched: rank 0 has what the others record while they do, once.
#include <catch.h>

#include <atomic>
#include <thread>

#include "check_text.h"
#include "patience.h"
#include "ringside/launch/stream.h"
#include "ringside/processes/join.h"
#include "ringside/world/world.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

size_t spans_of(const TraceStore& store, int rank) {
  return store.snapshot().sections().back().spans(rank).size();
}

// Ranks 0 and 1 in a thread each; rank_main(world, stores): (rank) what each process has.
std::array<std::string, 2> run_watched(
    int watched, const std::function<void(World&, const TraceStore& of_rank_0)>& rank_main,
    std::array<std::shared_ptr<TraceStore>, 2>& stores) {
  const int port = port_of(listen_at("127.0.0.1", 0));
  for (auto& store : stores) store = TraceStore::create("watched");
  std::array<std::string, 2> said;
  std::array<std::thread, 2> threads;
  for (int rank = 0; rank < 2; ++rank)
    threads[static_cast<size_t>(rank)] = std::thread([&, rank] {
      const auto at = static_cast<size_t>(rank);
      said[at] = message_of<Error>(
          [&] {
            Launch place;
            place.rank = {rank, "test"};
            place.size = place.local_size = {2, "test"};
            place.port = {port, "test"};
            place.watched = {watched, "test"};
            WorldOptions options{.ranks = 2, .timeout = kPatience};
            options.hooks.process = join(place, kPatience);
            for (const char* section : {"first", "second"}) {
              options.recorders = stores[at]->add_section(section, {}, 2);
              run_world(options, [&](World& world) { rank_main(world, *stores[0]); });
            }
          },
          "");
    });
  for (std::thread& thread : threads) thread.join();
  return said;
}

}  // namespace

TEST_CASE("watched: what another rank records is seen before the run is over, and is there once") {
  std::array<std::shared_ptr<TraceStore>, 2> stores;
  constexpr int kSpans = 5;
  std::atomic<int> seen = 0;
  const auto said = run_watched(
      1,
      [&](World& world, const TraceStore& of_rank_0) {
        for (int step = 0; step < kSpans; ++step) const SpanScope span(*world.recorder(), "step", step);
        if (world.rank() == 0) seen += eventually([&] { return spans_of(of_rank_0, 1) == kSpans; }) ? 1 : 0;
        world.group("all").barrier({"until it is seen", ""})->wait();
        const SpanScope last(*world.recorder(), "last");
      },
      stores);
  CHECK(said == std::array<std::string, 2>{});
  CHECK(seen == 2);
  for (const auto& store : stores) {
    const Trace trace = store->snapshot();
    for (const SectionView& section : trace.sections())
      for (const int rank : {0, 1}) CHECK(section.spans(rank).size() == kSpans + 1);
  }
}

TEST_CASE("watched: what a rank has recorded before it was lost stays") {
  std::array<std::shared_ptr<TraceStore>, 2> stores;
  const auto said = run_watched(
      1,
      [&](World& world, const TraceStore& of_rank_0) {
        for (int step = 0; step < 3; ++step) const SpanScope span(*world.recorder(), "step", step);
        if (world.rank() == 0) CHECK(eventually([&] { return spans_of(of_rank_0, 1) == 3; }));
        world.group("all").barrier({"until it is seen", ""})->wait();
        if (world.rank() == 1) throw InputError("planned");
        world.group("all").barrier({"nobody comes", ""})->wait();
      },
      stores);
  CHECK(lacks(said[0], {"rank 1"}) == "");
  CHECK(spans_of(*stores[0], 1) >= 3);
}

TEST_CASE("not watched: nothing comes before the run is over") {
  std::array<std::shared_ptr<TraceStore>, 2> stores;
  const auto said = run_watched(
      0,
      [&](World& world, const TraceStore& of_rank_0) {
        const SpanScope span(*world.recorder(), "step");
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        if (world.rank() == 0) CHECK(spans_of(of_rank_0, 1) == 0);
      },
      stores);
  CHECK(said == std::array<std::string, 2>{});
}
