// A dump as torchfrtrace wants it (torch/distributed/flight_recorder/components: loader.py, builder.py,
// types.py).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "names.h"
#include "pg_status.h"
#include "pickle.h"
#include "ringside/flight/files.h"

namespace ringside {
namespace {

using namespace flight;

// The tool takes neighbours of one group with equal numbers for parts of one coalesced call, also a
// collective and a send. It pairs sends by collective_seq_id; so their own number may be any that is unlike
// all others.
constexpr int64_t kFirstP2pNumber = int64_t{1} << 40;

void write_groups(PickleWriter& out, const FlightDump& dump) {
  out.text("pg_config");
  out.begin_dict();
  for (const FlightGroup& group : dump.groups) {
    out.text(group.name);
    out.begin_dict();
    out.field("name", group.name);
    out.field("desc", group.description);
    out.field("ranks", fmt::format("[{}]", fmt::join(group.ranks, ", ")));  // a string: the tool evaluates it
    out.end_dict();
  }
  out.end_dict();
}

void write_status(PickleWriter& out, const FlightDump& dump) {
  out.text("pg_status");
  out.begin_dict();
  for (size_t i = 0; i < dump.groups.size(); ++i) {
    const GroupStatus status = status_of(dump, dump.groups[i].name);
    out.text(std::to_string(i));
    out.begin_dict();
    out.field("last_enqueued_collective", status.last_enqueued);
    out.field("last_started_collective", status.last_started);
    out.field("last_completed_collective", status.last_completed);
    out.end_dict();
  }
  out.end_dict();
}

void write_tensors(PickleWriter& out, const char* sizes, const char* dtypes, int64_t elements, Dtype dtype) {
  out.text(sizes);
  out.begin_list(), out.begin_list(), out.integer(elements), out.end_list(), out.end_list();
  out.text(dtypes);
  out.begin_list(), out.text(dtype_name(dtype, Words::kPyTorch)), out.end_list();
}

void write_time(PickleWriter& out, const char* key, int64_t time_ns) {
  out.text(key);
  time_ns == 0 ? out.none() : out.integer(time_ns);
}

// What the call carries, in the place of the line of code that made it.
void write_frames(PickleWriter& out, const FlightEntry& entry) {
  out.text("frames");
  out.begin_list(), out.begin_dict();
  out.field("name", entry.tag);
  out.field("filename", entry.unit);
  out.field("line", int64_t{0});
  out.end_dict(), out.end_list();
}

void write_entry(PickleWriter& out, const FlightDump& dump, const FlightEntry& entry) {
  size_t group = 0;
  while (group < dump.groups.size() && dump.groups[group].name != entry.group) ++group;
  out.begin_dict();
  out.field("record_id", entry.record_id);
  out.field("pg_id", static_cast<int64_t>(group));
  out.text("process_group");
  out.begin_tuple();
  out.text(entry.group), out.text(group < dump.groups.size() ? dump.groups[group].description : "");
  out.end_tuple();
  out.field("collective_seq_id", entry.collective_seq_id);
  out.field("p2p_seq_id", entry.is_p2p() ? kFirstP2pNumber + entry.record_id : 0);
  out.field("op_id", entry.record_id);
  out.field("profiling_name", profiling_name(entry, place_in_group(dump, entry.group), Words::kPyTorch));
  write_tensors(out, "input_sizes", "input_dtypes", entry.elements_in, entry.dtype);
  write_tensors(out, "output_sizes", "output_dtypes", entry.elements_out, entry.dtype);
  out.field("time_created_ns", entry.time_created_ns);
  write_time(out, "time_discovered_started_ns", entry.time_discovered_started_ns);
  write_time(out, "time_discovered_completed_ns", entry.time_discovered_completed_ns);
  if (const std::optional<double> duration = duration_ms(entry)) out.text("duration_ms"), out.real(*duration);
  out.field("timeout_ms", entry.timeout_ms);
  out.text("is_p2p"), out.boolean(entry.is_p2p());
  out.field("state", to_string(entry.state));
  out.text("retired"), out.boolean(entry.retired);
  write_frames(out, entry);
  out.end_dict();
}

}  // namespace

std::string flight_pickle(const FlightDump& dump) {
  PickleWriter out;
  out.begin_dict();
  out.field("version", kFlightVersion);
  write_groups(out, dump);
  write_status(out, dump);
  out.text("entries");
  out.begin_list();
  for (const FlightEntry& entry : dump.entries) write_entry(out, dump, entry);
  out.end_list();
  out.field("rank", int64_t{dump.rank});
  out.end_dict();
  return out.finish();
}

}  // namespace ringside
