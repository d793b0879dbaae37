// The cards of an interview, and practice; `ringside` becomes it for `review`, `mock`, `path`, `drill` and
// `on_call`.
#include "commands.h"
#include "program.h"

namespace ringside {
namespace {

ExitCode review(const Options& options, std::ostream& out) {
  if (options.command == Command::kReview) return review_cards(options, out);
  if (options.command == Command::kMock) return mock_interview(options, out);
  if (options.command == Command::kPath) return show_path(options, out);
  if (options.command == Command::kOnCall) return practise_on_call(options, out);
  if (options.command == Command::kDrill) return drill_code(options, out);
  throw UsageError("ringside-review is what ringside calls; call ringside");
}

}  // namespace
}  // namespace ringside

int main(int argc, char** argv) { return ringside::run_program(argc, argv, ringside::review); }
