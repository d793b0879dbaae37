// train, evaluate and predict; `ringside` becomes it where needed.
#include <ostream>

#include "build_info.h"
#include "commands.h"
#include "program.h"
#include "ringside/base/prepare_process.h"

namespace ringside {
namespace {

ExitCode dispatch(const Options& options, std::ostream& out) {
  if (options.command == Command::kTrain) return train_classifier(options, out);
  if (options.command == Command::kEvaluate) return evaluate_classifier(options, out);
  if (options.command == Command::kPredict) return predict_classes(options, out);
  throw UsageError("ringside-learn is what ringside calls; call ringside");
}

}  // namespace
}  // namespace ringside

int main(int argc, char** argv) {
  ringside::prepare_process();
  ringside::know_torch();
  return ringside::run_program(argc, argv, ringside::dispatch);
}
