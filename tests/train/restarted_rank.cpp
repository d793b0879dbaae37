// restarted_rank FOLDER STEPS EVERY [beside]: one rank of a small training that saves and resumes, for
// kills_test.py, which kills it. Rank 0 says how many steps had been taken when it began, and the hash.
#include <cstdio>
#include <string_view>

#include "ringside/base/error.h"
#include "ringside/base/prepare_process.h"
#include "ringside/base/text.h"
#include "ringside/processes/join.h"
#include "ringside/train/trainer.h"

using namespace ringside;

int main(int argc, char** argv) try {
  prepare_process();
  if (argc < 4) throw UsageError("usage: restarted_rank FOLDER STEPS EVERY [beside]");
  TrainerConfig config;
  config.model = {.hidden = 16, .heads = 2, .kv_heads = 1, .intermediate = 24, .layers = 1, .classes = 3};
  config.model.dropout = 0.1;
  config.max_tokens = 8;
  config.stage = 2, config.batch = 8, config.seed = 3, config.evaluate_every = -1;
  config.schedule.name = "cosine", config.schedule.warmup = 10;
  config.steps = read_number<int64_t>(argv[2]).value_or(1);
  config.checkpoint = {.folder = argv[1], .every = read_number<int64_t>(argv[3]).value_or(1), .resume = true};
  config.checkpoint.asynchronous = argc > 4 && std::string_view(argv[4]) == "beside";
  const Dataset data = load_dataset({.max_tokens = 8, .synthetic_classes = 3, .synthetic_train = 101});
  TrainerHooks hooks;
  hooks.process = join(resolve(own_environment()));
  config.ranks = hooks.process ? hooks.process->size() : 4;
  const TrainResult result = train(config, data, *TraceStore::create("restarted"), "run", hooks);
  if (!hooks.process || hooks.process->rank() == 0)
    std::printf("from %lld hash %s\n", static_cast<long long>(result.interruption.resumed_at),
                result.parameters_sha256.c_str());
} catch (const Error& error) {
  std::fprintf(stderr, "restarted_rank: %s\n", error.what());
  return static_cast<int>(error.code());
}
