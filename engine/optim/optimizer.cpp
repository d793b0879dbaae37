#include "ringside/optim/optimizer.h"

#include "ringside/base/error.h"
#include "ringside/optim/adamw.h"
#include "ringside/optim/sgd.h"

namespace ringside {

std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config) {
  if (config.name == "adamw") return std::make_unique<AdamW>(config);
  if (config.name == "sgd") return std::make_unique<Sgd>(config);
  throw UsageError("optimizer=" + config.name + ": allowed are adamw and sgd");
}

}  // namespace ringside
