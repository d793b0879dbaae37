// Dumps as files: JSON, and the pickle that PyTorch writes and its own analyzer (`torchfrtrace`) reads. A
// pickle can ask for code to be run; ours are read as plain values, and one that asks is refused by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ringside/flight/dump.h"

namespace ringside::inline flight {

// One JSON object in the field names of PyTorch's Flight Recorder ("version", "pg_config", "pg_status",
// "entries"). Fields of our own stand beside them: "rank", "forgotten", "time_ns", "broken", a group's
// "index", an entry's "peer", "tag" and "unit". Bytes that are no UTF-8 become U+FFFD.
std::string flight_json(const FlightDump& dump);
// The inverse. It reads PyTorch's own dumps (dump_json, and pickles) too, as far as Op and Dtype have their
// operations and element types; a call of another kind that has completed is left out. Such a dump does not
// say its rank. InputError naming `source`, the entry and the field. Every size is bounded before it is
// believed: 64 MiB, 100,000 entries; a pickle's values take at most twice its size and 1 MiB.
FlightDump parse_flight_dump(std::string_view text, const std::string& source, int rank_if_missing = -1);

// Pickle, protocol 2, of plain dicts, lists, strings and numbers: torchfrtrace opens it.
std::string flight_pickle(const FlightDump& dump);

// Writes FOLDER/flight_0.json and the pickle FOLDER/rank_0 for rank 0, and so on; creates the folder. A file
// is whole or not there. `torchfrtrace -p rank_ FOLDER` takes every file with "rank_" in its name for a
// pickle, so the JSON's name is without it. InputError where they cannot be written.
void write_flight_dumps(const std::vector<FlightDump>& dumps, const std::string& folder);
// One file. Where it does not say its rank, the number at the end of its name is it ("nccl_trace_rank_3",
// "trace_3.json").
FlightDump read_flight_dump(const std::string& file);
bool is_flight_pickle(const std::string& file);  // it begins as a pickle does
// Reads every *.json of a folder, where it has none every pickle, or one file; sorted by rank. Where a file
// does not say its rank, the number at the end of its name is it ("trace_3.json"). InputError where there is
// no dump, or two of one rank.
std::vector<FlightDump> read_flight_dumps(const std::string& path);
// "; one of its folders may be meant: 'case 1', 'case 2'", of a folder in which nothing was found; "" where
// it has no folders. At most eight are named.
std::string folders_in_words(const std::string& folder);

}  // namespace ringside::inline flight
