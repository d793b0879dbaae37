// Writes every situation of situations.h for the tests in Python:
//   write_dumps FOLDER     FOLDER/NAME/{rank_N,flight_N.json} FOLDER/NAME.report.{json,txt}
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "ringside/flight/files.h"
#include "ringside/flight/report.h"
#include "situations.h"

int main(int count, char** words) {
  using namespace ringside;
  if (count != 2) return std::fputs("usage: write_dumps FOLDER\n", stderr), 2;
  try {
    for (const Situation& situation : kSituations) {
      const std::filesystem::path folder = std::filesystem::path(words[1]) / situation.name;
      const Dumps dumps = situation.dumps();
      write_flight_dumps(dumps, folder.string());
      const FlightReport report = merge_flights(dumps);
      // Beside the folder: a reader of a folder of dumps takes every *.json in it for one.
      std::ofstream(folder.string() + ".report.json") << report_json(report);
      std::ofstream(folder.string() + ".report.txt") << report_text(report);
    }
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
  return 0;
}
