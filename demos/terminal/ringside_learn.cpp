// train, evaluate and predict; `ringside` becomes it where needed.
#include "build_info.h"
#include "commands.h"
#include "program.h"
#include "ringside/base/prepare_process.h"

using namespace ringside;

int main(int argc, char** argv) {
  prepare_process();
  know_torch();
  return run_program(argc, argv,
                     {{Command::kTrain, train_classifier},
                      {Command::kEvaluate, evaluate_classifier},
                      {Command::kPredict, predict_classes}});
}
