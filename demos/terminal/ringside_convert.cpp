// Weights from one form into another; `ringside` becomes it for `convert`.
#include "commands.h"
#include "program.h"

int main(int argc, char** argv) { return ringside::run_program(argc, argv, ringside::convert); }
