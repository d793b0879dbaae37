// `ringside flight PATH`: the flight recorders' dumps of a run, merged. Our own JSON dumps, or PyTorch's.
#include <ostream>

#include "commands.h"
#include "ringside/flight/files.h"
#include "ringside/flight/report.h"

namespace ringside {

ExitCode merge_flight(const Options& options, std::ostream& out) {
  const FlightReport report = merge_flights(read_flight_dumps(options.path));
  out << (options.json ? report_json(report) : report_text(report));
  return ExitCode::kOk;
}

}  // namespace ringside
