// One training, its ranks as threads or as processes, with the same bits at its end:
//   process_trainer [STAGE]                  three ranks, threads of this process
//   start_ranks 3 process_trainer [STAGE]    three processes, a socket between every two
#include <cstdio>

#include "ringside/base/error.h"
#include "ringside/base/prepare_process.h"
#include "ringside/base/text.h"
#include "ringside/train/trainer.h"
#include "ringside_sockets/socket_channel.h"

using namespace ringside;

int main(int argc, char** argv) try {
  prepare_process();
  TrainerConfig config;
  config.precision = Precision::kFloat32;
  config.model = {.hidden = 64, .layers = 2};
  config.max_tokens = 32;
  const std::optional<int> stage = read_number<int>(argc > 1 ? argv[1] : "3");
  if (argc > 2 || !stage) throw UsageError("usage: process_trainer [STAGE], 0 to 3");
  config.stage = *stage;

  const std::shared_ptr<ChannelHub> process = hub_from_environment();  // null: nothing started it so
  config.ranks = process ? process->size() : 3;
  TrainerHooks hooks;
  hooks.process = process;
  const auto store = TraceStore::create("process_trainer");
  const Dataset data = make_synthetic({.max_tokens = config.max_tokens});
  const TrainResult result = train(config, data, *store, "run", hooks);
  if (process && process->rank() != 0) return 0;  // one rank speaks for all
  std::printf("loss %.9f -> %.9f, accuracy %.3f\n", result.loss.front(), result.loss.back(), result.accuracy);
  std::printf("parameters %s\n", result.parameters_sha256.c_str());
} catch (const Error& error) {
  std::fprintf(stderr, "process_trainer: %s\n", error.what());
  return static_cast<int>(error.code());
}
