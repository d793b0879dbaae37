// Weights from one form into another; `ringside` becomes it for `convert`.
#include "commands.h"
#include "program.h"

using namespace ringside;

int main(int argc, char** argv) { return run_program(argc, argv, {{Command::kConvert, convert}}); }
