// Times in turns; `ringside` becomes it for `bench`. A program of its own: nobody else needs its loops.
#include "build_info.h"
#include "commands.h"
#include "program.h"
#include "ringside/base/prepare_process.h"
#include "torch_loops.h"

using namespace ringside;

int main(int argc, char** argv) {
  prepare_process();
  know_torch();
  know_torch_loops();
  return run_program(argc, argv, {{Command::kBench, bench}});
}
