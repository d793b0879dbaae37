// loop_rank MOMENT HOW VICTIM TIMEOUT_MS: one rank of a run that trains nothing: steps of an all-reduce, an
// evaluation every fifth step. At MOMENT (start, joined, step, evaluation, end, or none) rank VICTIM does
// HOW: kill, stop, close (its sockets), leave (exit code 0), throw. Prints what it knows as lines "word value
// ..."; ends with an error's code.
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>

#include "ringside/base/text.h"
#include "ringside/comm/errors.h"
#include "ringside/processes/join.h"
#include "ringside/world/world.h"

using namespace ringside;

namespace {

constexpr int kSteps = 40, kEvery = 5;
std::string moment, how;
int victim = -1, own = -1;

void say(const char* word, const std::string& value) {
  std::printf("%s %lld %s\n", word, static_cast<long long>(now_ns()), value.c_str());
  std::fflush(stdout);
}

void close_sockets() {
  for (int number = 3; number < 256; ++number) ::shutdown(number, 2);
}

void pass(const std::string& at, int step = kSteps / 2) {
  if (own != victim || at != moment || step < kSteps / 2) return;
  say("falls", at);
  const auto act = std::exchange(how, "");
  if (act == "kill") std::raise(SIGKILL);
  if (act == "stop") std::raise(SIGSTOP);
  if (act == "close") close_sockets();
  if (act == "leave") std::_Exit(0);
  if (act == "throw") throw InputError("planned");
}

void steps(World& world) {
  ProcessGroup& group = world.group("dp");
  std::vector<float> values(1000, 1.0F), all(4000);
  for (int step = 0; step < kSteps; ++step) {
    pass("step", step);
    const SpanScope span(*world.recorder(), "step", step);
    group.all_reduce({values.data(), 1000, Dtype::kFloat32}, {"gradients", ""})->wait();
    if (step % kEvery != 0) continue;
    pass("evaluation", step);
    group
        .all_gather({values.data(), 1000, Dtype::kFloat32},
                    {all.data(), 1000 * group.size(), Dtype::kFloat32}, {"evaluation", ""})
        ->wait();
  }
  group.barrier({"close", ""})->wait();
  pass("end");
}

std::string text_of(const std::vector<int>& ranks) {
  std::string text;
  for (const int rank : ranks) text += (text.empty() ? "" : ",") + std::to_string(rank);
  return text;
}

// Which ranks this process knows the steps of, and how many calls of each.
void show(const TraceStore& store) {
  const Trace trace = store.snapshot();
  const SectionView& section = trace.sections().front();
  std::string steps;
  for (int rank = 0; rank < section.ranks(); ++rank)
    steps += std::to_string(section.spans(rank).size()) + " ";
  say("spans", steps);
}

int run(std::chrono::milliseconds timeout) {
  const Launch launch = resolve(own_environment());
  own = launch.rank.value;
  pass("start");
  const auto process = join(launch, timeout);
  pass("joined");
  const auto store = TraceStore::create("loop_rank");
  const WorldOptions options{.ranks = process->size(),
                             .timeout = timeout,
                             .recorders = store->add_section("run", {}, process->size()),
                             .hooks = {.process = process}};
  try {
    run_world(options, steps);
  } catch (const CollectiveError& error) {
    say("blames", text_of(error.ranks()));
    show(*store);
    throw;
  }
  show(*store);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) throw UsageError("loop_rank MOMENT HOW VICTIM TIMEOUT_MS");
  moment = argv[1], how = argv[2], victim = read_number<int>(argv[3]).value_or(-1);
  return run(std::chrono::milliseconds(read_number<int>(argv[4]).value_or(1000)));
} catch (const Error& error) {
  say("ends", error.what());
  std::fprintf(stderr, "loop_rank: %s\n", error.what());
  return static_cast<int>(error.code());
}
