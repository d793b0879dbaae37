#include "ringside/nn/remote_graph.h"

#include <torch/csrc/autograd/autograd.h>

#include "catch.h"
#include "ringside/base/check.h"
#include "ringside/base/random.h"
#include "ringside/nn/parameters.h"
#include "ringside/tensor/passage.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/world/world.h"

namespace ringside {
namespace {

using namespace std::chrono_literals;

// ---- Random programs over ranks ---------------------------------------------------------

// One instruction: on `rank`, a new value of two of its values; or, where `from` is another rank, a value
// that comes from there.
struct Instruction {
  int rank = 0, from = 0;
  int op = 0;
  size_t a = 0, b = 0;  // values of the rank; of a transfer: value a of `from`
  bool dead = false;    // a transfer whose value nothing uses
};
struct Program {
  int ranks = 2;
  std::vector<Instruction> instructions;
};
constexpr int64_t kLeaves = 2, kSide = 3;

// Every value that nothing used becomes a part of a loss. `plants`: transfers that are dead.
Program random_program(uint64_t seed, size_t plants) {
  RandomStream random(seed, "program", 0);
  const auto below = [&](size_t n) { return size_t(random.below(n)); };
  Program program;
  program.ranks = 2 + int(below(3));
  std::vector<size_t> values(size_t(program.ranks), kLeaves);
  const size_t count = 12 + below(20);
  for (size_t i = 0; i < count || plants > 0; ++i) {
    Instruction one{.rank = int(below(size_t(program.ranks)))};
    one.from = below(3) == 0 ? int(below(size_t(program.ranks))) : one.rank;
    if (i >= count && one.from == one.rank) one.from = (one.rank + 1) % program.ranks;
    one.op = int(below(4));
    one.a = below(values[size_t(one.from)]), one.b = below(values[size_t(one.rank)]);
    if (one.from != one.rank && plants > 0 && (below(3) == 0 || i >= count)) one.dead = true, --plants;
    if (!one.dead) ++values[size_t(one.rank)];
    program.instructions.push_back(one);
  }
  return program;
}

std::string name_of(size_t instruction) { return "value " + std::to_string(instruction); }

at::Tensor leaf_of(uint64_t seed, int rank, int64_t i) {
  const at::Tensor leaf = at::empty({kSide, kSide});
  RandomStream random(seed, "leaf", rank * kLeaves + i);
  for (int64_t j = 0; j < leaf.numel(); ++j) leaf.data_ptr<float>()[j] = float(random.normal());
  return leaf.set_requires_grad(true);
}

at::Tensor compute(int op, const at::Tensor& a, const at::Tensor& b) {
  if (op == 0) return a + b;
  if (op == 1) return a * b;
  return op == 2 ? at::tanh(at::mm(a, b)) : a - at::sigmoid(b);
}

// The values of one rank, and its loss: the sum of all that nothing on the rank used, which travels to the
// last rank that there is.
struct RankState {
  std::vector<at::Tensor> values;
  std::vector<bool> used;
  explicit RankState(uint64_t seed, int rank) : used(kLeaves) {
    for (int64_t i = 0; i < kLeaves; ++i) values.push_back(leaf_of(seed, rank, i));
  }
  const at::Tensor& use(size_t i) {
    used[i] = true;
    return values[i];
  }
  void add(const at::Tensor& value) { values.push_back(value), used.push_back(false); }
  at::Tensor loss() const {
    at::Tensor sum = at::zeros({});
    for (size_t i = 0; i < values.size(); ++i)
      if (!used[i]) sum = sum + values[i].sum();
    return sum;
  }
  std::vector<at::Tensor> leaves() const { return {values.begin(), values.begin() + kLeaves}; }
};

using Gradients = std::vector<std::vector<at::Tensor>>;  // (rank, leaf)

at::Tensor copied(const at::Tensor& x) {
  const auto same = [](const at::Tensor& y) { return y.clone(); };
  return passage(x, same, same);
}

Gradients in_one_process(const Program& program, uint64_t seed) {
  std::vector<RankState> states;
  for (int rank = 0; rank < program.ranks; ++rank) states.emplace_back(seed, rank);
  for (const Instruction& one : program.instructions) {
    RankState& state = states[size_t(one.rank)];
    if (one.from == one.rank)
      state.add(compute(one.op, state.use(one.a), state.use(one.b)));
    else if (const at::Tensor value = copied(states[size_t(one.from)].use(one.a)); !one.dead)
      state.add(value);
  }
  std::vector<at::Tensor> losses;
  for (const RankState& state : states)
    if (const at::Tensor loss = state.loss(); loss.requires_grad()) losses.push_back(loss);
  torch::autograd::backward(losses, {});
  Gradients all;
  for (const RankState& state : states) all.push_back(gradients_in(state.leaves()));
  return all;
}

std::vector<at::Tensor> on_a_rank(const Program& program, uint64_t seed, World& world,
                                  RemoteGraph::Check check) {
  auto& graph = world.make<RemoteGraph>(world.group("graph"), 7, check);
  RankState state(seed, world.rank());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& one = program.instructions[i];
    if (one.from == one.rank && one.rank == world.rank())
      state.add(compute(one.op, state.use(one.a), state.use(one.b)));
    else if (one.from == world.rank() && one.rank != world.rank())
      graph.send(state.use(one.a), one.rank, name_of(i));
    else if (one.rank == world.rank() && one.from != world.rank()) {
      const at::Tensor value = graph.receive({kSide, kSide}, at::kFloat, one.from, name_of(i));
      if (!one.dead) state.add(value);
    }
  }
  const at::Tensor loss = state.loss();
  auto gradients = graph.backward(loss.requires_grad() ? loss : at::Tensor(), state.leaves());
  for (const at::Tensor& leaf : state.leaves())
    RINGSIDE_CHECK(!leaf.grad().defined(), "a gradient was accumulated");
  return gradients;
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  const at::Tensor x = a.contiguous(), y = b.contiguous();  // a gradient may be one value, seen many times
  return x.nbytes() == y.nbytes() && std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

}  // namespace

TEST_CASE(
    "remote graph: 200 random graphs over 2 to 4 ranks have the gradients of one process, bit for bit") {
  int64_t transfers = 0, different = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = random_program(seed, 0);
    for (const Instruction& one : program.instructions) transfers += one.from != one.rank;
    const Gradients wanted = in_one_process(program, seed);
    std::mutex mutex;
    run_world({.ranks = program.ranks, .timeout = 20s}, [&](World& world) {
      use_one_thread();
      const auto gradients = on_a_rank(program, seed, world, RemoteGraph::Check::kWalk);
      const std::lock_guard lock(mutex);
      for (size_t i = 0; i < gradients.size(); ++i)
        different += !same_bits(gradients[i], wanted[size_t(world.rank())][i]);
    });
  }
  CHECK(transfers > 500);
  CHECK(different == 0);
}

TEST_CASE("remote graph: a sent value that does not reach the loss is named at once, wherever it is") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = random_program(seed, 1);
    const auto planted = std::find_if(program.instructions.begin(), program.instructions.end(),
                                      [](auto& one) { return one.dead; });
    INFO("seed " << seed);
    const auto start = std::chrono::steady_clock::now();
    std::optional<std::string> named;
    try {
      run_world({.ranks = program.ranks, .timeout = 20s}, [&](World& world) {
        use_one_thread();
        on_a_rank(program, seed, world, RemoteGraph::Check::kWalk);
      });
    } catch (const DeadSendError& error) {
      named = error.what;
      CHECK(error.sender == planted->from);
      CHECK(error.receiver == planted->rank);
      CHECK(error.context == 7);
    }
    CHECK(named == name_of(size_t(planted - program.instructions.begin())));
    CHECK(std::chrono::steady_clock::now() - start < 10s);  // before the deadline
  }
}

TEST_CASE("remote graph: in FAST mode a dead send is named at the deadline, and only it") {
  const auto start = std::chrono::steady_clock::now();
  const auto run = [&] {
    run_world({.ranks = 2, .timeout = 300ms}, [&](World& world) {
      auto& graph = world.make<RemoteGraph>(world.group("graph"), 3, RemoteGraph::Check::kFast);
      const at::Tensor w = at::ones({2}).set_requires_grad(true);
      at::Tensor loss;
      if (world.rank() == 0) {
        graph.send(w * 2, 1, "aside");
        graph.send(w * 3, 1, "features");
      } else {
        graph.receive({2}, at::kFloat, 0, "aside");
        loss = graph.receive({2}, at::kFloat, 0, "features").sum();
      }
      graph.backward(loss, {});
    });
  };
  try {
    run();
    FAIL("nothing was thrown");
  } catch (const DeadSendError& error) {
    CHECK((error.sender == 0 && error.receiver == 1 && error.what == "aside" && error.context == 3));
    CHECK(std::string(error.std::runtime_error::what()).find("the deadline has passed") != std::string::npos);
    CHECK(error.report().find("gradient header, context 3: aside") != std::string::npos);
  }
  CHECK(std::chrono::steady_clock::now() - start >= 300ms);
}

TEST_CASE(
    "remote graph: in FAST mode the gradient of an earlier value tells that a later one's does not come") {
  CHECK_THROWS_AS(
      run_world({.ranks = 2, .timeout = 20s},
                [&](World& world) {
                  auto& graph = world.make<RemoteGraph>(world.group("graph"), 3, RemoteGraph::Check::kFast);
                  const at::Tensor w = at::ones({2}).set_requires_grad(true);
                  at::Tensor loss;
                  for (const char* what : {"features", "aside"})
                    if (world.rank() == 0)
                      graph.send(w * 2, 1, what);
                    else if (const at::Tensor x = graph.receive({2}, at::kFloat, 0, what); !loss.defined())
                      loss = x.sum();
                  graph.backward(loss, {});
                }),
      DeadSendError);
}

TEST_CASE("remote graph: two contexts under way do not take each other's gradients, nor add anything up") {
  run_world({.ranks = 2}, [&](World& world) {
    ProcessGroup& group = world.group("graph");
    RemoteGraph first(group, 1), second(group, 2);
    const at::Tensor w = at::full({2}, 5.0, at::kDouble).set_requires_grad(true);
    std::vector<at::Tensor> losses;
    for (RemoteGraph* graph : {&first, &second}) {
      if (world.rank() == 0) graph->send(w * (graph == &first ? 2 : 3), 1, "x"), losses.emplace_back();
      if (world.rank() == 1) losses.push_back((graph->receive({2}, at::kDouble, 0, "x") * w).sum());
    }
    const at::Tensor of_second = second.backward(losses[1], {w})[0],
                     of_first = first.backward(losses[0], {w})[0];
    const auto all = [](const at::Tensor& t, double value) {
      return t.equal(at::full({2}, value, at::kDouble));
    };
    RINGSIDE_CHECK(all(of_first, 10), "of the first");    // 2 w of the other rank
    RINGSIDE_CHECK(all(of_second, 15), "of the second");  // 3 w
    RINGSIDE_CHECK(!w.grad().defined(), "a gradient was accumulated");
  });
}

TEST_CASE("remote graph: a value without a gradient, a rank without a loss, a message of another context") {
  run_world({.ranks = 3}, [&](World& world) {
    auto& graph = world.make<RemoteGraph>(world.group("graph"), 1);
    const at::Tensor w = at::ones({2}).set_requires_grad(true);
    at::Tensor loss;
    if (world.rank() == 0) graph.send(w.detach(), 1, "labels");
    if (world.rank() == 1) {
      const at::Tensor labels = graph.receive({2}, at::kFloat, 0, "labels");
      RINGSIDE_CHECK(!labels.requires_grad(), "labels have a gradient");
      loss = (labels * w).sum();
    }
    const at::Tensor gradient = graph.backward(loss, {w})[0];
    RINGSIDE_CHECK(gradient.defined() == (world.rank() == 1), "rank " << world.rank());
  });
  CHECK_THROWS_WITH(run_world({.ranks = 2},
                              [&](World& world) {
                                auto& graph = world.make<RemoteGraph>(world.group("graph"), 5 + world.rank());
                                if (world.rank() == 0)
                                  graph.send(at::ones({2}), 1, "x"), graph.backward({}, {});
                                if (world.rank() == 1) graph.receive({2}, at::kFloat, 0, "x");
                              }),
                    ContainsSubstring("rank 0 sent something of context 5"));
}

}  // namespace ringside
