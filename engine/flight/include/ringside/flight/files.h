// Dumps as files. JSON is what we read and write; the pickle is for PyTorch's own analyzer
// (`torchfrtrace`), which reads nothing else, and we never read one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ringside/flight/dump.h"

namespace ringside {

// One JSON object in the field names of PyTorch's Flight Recorder ("version", "pg_config", "pg_status",
// "entries"), with what it has no field for beside them: "rank", "forgotten", "time_ns", a group's "index",
// an entry's "peer", "tag" and "unit". Text that is no UTF-8 loses the bytes that are none.
std::string flight_json(const FlightDump& dump);
// The inverse. Also reads a dump of PyTorch's own (dump_json), whose rank the caller gives; of its
// operations and element types only those that Op and Dtype have. InputError naming `source`, the entry
// and the field; nothing is believed before it is bounded (64 MiB, 100,000 entries).
FlightDump parse_flight_json(std::string_view text, const std::string& source, int rank_if_missing = -1);

// Pickle, protocol 2, of plain dicts, lists, strings and numbers: torchfrtrace opens it.
std::string flight_pickle(const FlightDump& dump);

// FOLDER/flight_0.json and FOLDER/rank_0 (the pickle: torchfrtrace -p rank_ FOLDER), each written beside
// and renamed. Creates the folder. InputError where it cannot be written. (The tool takes every file with
// its prefix in the name for a pickle: the JSON must not have it.)
void write_flight_dumps(const std::vector<FlightDump>& dumps, const std::string& folder);
// Every *.json of a folder, or one file; by rank. A file that does not say its rank has it at the end of its
// name ("trace_3.json"). InputError where there is none, or a rank twice.
std::vector<FlightDump> read_flight_dumps(const std::string& path);

}  // namespace ringside
