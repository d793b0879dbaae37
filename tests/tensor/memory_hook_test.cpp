#include "ringside/tensor/memory_hook.h"

#include "catch.h"
#include "ringside/tensor/peak_memory.h"
#include "ringside/tensor/torch_adapter.h"

using namespace ringside;

namespace {

constexpr int64_t kBytes = 40;
at::Tensor forty_bytes() { return at::zeros({10}, at::kFloat); }

// A hook with a trace behind it.
struct Recorded {
  std::shared_ptr<TraceStore> store = TraceStore::create("test");
  Recorder* recorder = store->add_section("test", {}, 1).front();
  std::vector<MemoryEvent> events(Category category) const {
    std::vector<MemoryEvent> events;
    const Trace trace = store->snapshot();
    for (const MemoryEvent& event : trace.find("test")->memory(0, category)) events.push_back(event);
    return events;
  }
  std::string name(NameId id) const { return store->name(id); }
  int64_t peak_total() const {
    int64_t peak = 0;
    for (const Category category : kCategories)
      for (const MemoryEvent& event : events(category)) peak = std::max(peak, event.total_bytes);
    return peak;
  }
};

}  // namespace

TEST_CASE("an allocation belongs to the scope it was made in, also when it is freed in another") {
  Recorded recorded;
  MemoryHook hook(recorded.recorder);
  at::Tensor weight;
  {
    MemoryScope scope(Category::kParameters);
    weight = forty_bytes();
  }
  CHECK(hook.live(Category::kParameters) == kBytes);
  {
    MemoryScope scope(Category::kGradients);
    weight.reset();
  }
  CHECK(hook.live(Category::kParameters) == 0);
  CHECK(hook.live(Category::kGradients) == 0);
  CHECK(hook.live_total() == 0);
  CHECK(recorded.peak_total() == kBytes);
}

TEST_CASE("of what a piece of work allocates, what its result keeps alive is counted") {
  CHECK(kept_bytes_of([] { return forty_bytes() + forty_bytes(); }) == kBytes);
  const at::Tensor x = forty_bytes().set_requires_grad(true);
  CHECK(kept_bytes_of([&] { return at::exp(at::exp(x)); }) == 2 * kBytes);  // each keeps its result
}

TEST_CASE("scopes nest, and end where they were opened") {
  MemoryHook hook(nullptr);
  std::vector<at::Tensor> tensors;
  {
    MemoryScope outer(Category::kActivations);
    tensors.push_back(forty_bytes());
    {
      MemoryScope inner(Category::kOptimizer);
      tensors.push_back(forty_bytes());
      tensors.push_back(forty_bytes());
    }
    tensors.push_back(forty_bytes());
  }
  CHECK(hook.live(Category::kActivations) == 2 * kBytes);
  CHECK(hook.live(Category::kOptimizer) == 2 * kBytes);
  tensors.clear();
  CHECK(hook.live_total() == 0);
}

TEST_CASE("book_as moves bytes to another category, which follows the pointer") {
  Recorded recorded;
  MemoryHook hook(recorded.recorder);
  MemoryScope scope(Category::kActivations);
  at::Tensor gradient = forty_bytes();
  const at::Tensor window = gradient.narrow(0, 2, 3);
  book_as(window, Category::kGradients);
  book_as(gradient, Category::kGradients);  // the second time changes nothing
  book_as(at::Tensor(), Category::kGradients);
  CHECK(hook.live(Category::kActivations) == 0);
  CHECK(hook.live(Category::kGradients) == kBytes);
  CHECK(recorded.peak_total() == kBytes);
}

TEST_CASE("book_as renames what stays in its category") {
  Recorded recorded;
  MemoryHook hook(recorded.recorder);
  MemoryScope scope(Category::kGradients, "", "unnamed");
  const at::Tensor gradient = forty_bytes();
  book_as(gradient, Category::kGradients, "layer 1", "weight");
  book_as(gradient, Category::kGradients, "layer 1", "weight");  // the second time changes nothing
  const auto events = recorded.events(Category::kGradients);
  REQUIRE(events.size() == 3);
  CHECK(recorded.name(events[1].tensor) == "unnamed");
  CHECK(events[1].delta_bytes == -kBytes);
  CHECK(recorded.name(events[2].unit) == "layer 1");
  CHECK(recorded.name(events[2].tensor) == "weight");
  CHECK(events[2].live_bytes == kBytes);
  CHECK(events[2].peak_bytes == kBytes);
}

TEST_CASE("the events of one storage carry its number, and no other storage ever does") {
  Recorded recorded;
  MemoryHook hook(recorded.recorder);
  at::Tensor first = forty_bytes(), second = forty_bytes();
  book_as(first, Category::kGradients, "layer 1", "weight");
  book_as(first.narrow(0, 2, 3), Category::kGradients, "layer 2");  // a view has the storage of what it views
  first.reset();
  first = forty_bytes();  // at the same address, most likely
  second.reset();
  first.reset();
  const auto of = [&](Category category) {
    std::vector<std::pair<StorageId, int64_t>> changes;
    for (const MemoryEvent& event : recorded.events(category))
      changes.emplace_back(event.storage, event.delta_bytes);
    return changes;
  };
  using Changes = std::vector<std::pair<StorageId, int64_t>>;
  CHECK(of(Category::kOther) ==
        Changes{{1, kBytes}, {2, kBytes}, {1, -kBytes}, {3, kBytes}, {2, -kBytes}, {3, -kBytes}});
  CHECK(of(Category::kGradients) == Changes{{1, kBytes}, {1, -kBytes}, {1, kBytes}, {1, -kBytes}});
}

TEST_CASE("storages are numbered a rank, as the run before did; a gradient is booked by its hook") {
  const auto numbers = [] {
    Recorded recorded;
    MemoryHook hook(recorded.recorder);
    { const at::Tensor a = forty_bytes(), b = forty_bytes(); }
    std::vector<StorageId> all;
    for (const MemoryEvent& event : recorded.events(Category::kOther)) all.push_back(event.storage);
    return all;
  };
  CHECK(numbers() == numbers());
  MemoryHook hook(nullptr);
  {
    MemoryScope scope(Category::kActivations);
    at::Tensor leaf = forty_bytes().set_requires_grad(true);
    const GradientHook on_gradient(leaf, [&] { book_as(leaf.grad(), Category::kGradients); });
    run_backward((leaf * leaf).sum());
    CHECK(hook.live(Category::kGradients) == kBytes);
  }
  CHECK(hook.live_total() == 0);
}

TEST_CASE("every change is an event with the live and peak bytes after it") {
  Recorded recorded;
  MemoryHook hook(recorded.recorder);
  {
    MemoryScope scope(Category::kParameters, "layer 1", "weight");
    const at::Tensor a = forty_bytes();
    book_next_as_unit("layer 0");
    const at::Tensor b = forty_bytes();
  }
  const auto events = recorded.events(Category::kParameters);
  REQUIRE(events.size() == 4);
  CHECK(recorded.name(events[0].unit) == "layer 1");
  CHECK(recorded.name(events[0].tensor) == "weight");
  CHECK(recorded.name(events[1].unit) == "layer 0");
  CHECK(recorded.name(events[2].unit) == "layer 0");  // a free names what was allocated
  CHECK(events[1].live_bytes == 2 * kBytes);
  CHECK(events[1].total_bytes == 2 * kBytes);
  CHECK(events[3].delta_bytes == -kBytes);
  CHECK(events[3].live_bytes == 0);
  CHECK(events[3].peak_bytes == 2 * kBytes);
}

TEST_CASE("a hook is one thread's, and gone with its object: the outer one is current again") {
  Recorded recorded;
  MemoryHook hook(recorded.recorder);
  std::thread([&] {
    CHECK(MemoryHook::current() == nullptr);
    MemoryScope scope(Category::kParameters);
    const at::Tensor elsewhere = forty_bytes();
    book_as(elsewhere, Category::kGradients);
  }).join();
  CHECK(MemoryHook::current() == &hook);
  CHECK(recorded.peak_total() == 0);
  {
    const MemoryHook inner(nullptr);
    CHECK(MemoryHook::current() == &inner);
    CHECK(inner.live_total() == 0);
  }
  CHECK(MemoryHook::current() == &hook);
}
