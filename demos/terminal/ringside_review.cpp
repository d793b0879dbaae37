// The cards of an interview, and practice; `ringside` becomes it for `review`, `mock`, `path`, `drill` and
// `on_call`.
#include "commands.h"
#include "program.h"

using namespace ringside;

int main(int argc, char** argv) {
  return run_program(argc, argv,
                     {{Command::kReview, review_cards},
                      {Command::kMock, mock_interview},
                      {Command::kPath, show_path},
                      {Command::kOnCall, practise_on_call},
                      {Command::kDrill, drill_code}});
}
