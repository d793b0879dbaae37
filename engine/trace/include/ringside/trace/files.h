// Traces as files.
//   JSONL   one record a line; the first line holds the version, the last one says
//           whether the run reached its end. The one format that is read back.
//   JSON    one document of the same records, an array a kind, for jq and notebooks.
//   Chrome  the Trace Event Format, for ui.perfetto.dev and chrome://tracing: a process
//           per rank of a section, thread 0 compute, thread 1 comm, thread 2
//           messages where it has any, a counter per memory category; times in microseconds since the first
//           event. It has no storages: a viewer draws each argument of a counter as a curve.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>

#include "ringside/trace/trace.h"

namespace ringside::inline trace {

// Version 3 has tables, rows, messages and ranks that come and go; memory events have a storage, except in
// its first files. Version 2 has attributes that are numbers and booleans; in version 1 they are all text.
inline constexpr int kTraceFileVersion = 3, kOldestTraceFileVersion = 1;

void write_jsonl(const Trace& trace, std::ostream& out);
void export_json(const Trace& trace, std::ostream& out);
void export_chrome(const Trace& trace, std::ostream& out);

enum class TraceFormat { kJsonl, kJson, kChrome };
// Whole or not there (base/atomic_file.h); InputError where it cannot be written.
void write_trace_file(const Trace& trace, const std::filesystem::path& path, TraceFormat format);

// What a file may ask of its reader.
struct TraceLimits {
  size_t line_bytes = size_t{1} << 20;
  size_t lines = size_t{1} << 24;
  int sections = 256;
  int ranks = 2048;  // of all sections together
};

// The Trace that write_jsonl wrote. Nothing in the file is believed: InputError
// "NAME:LINE: why" for whatever does not fit. A last line that was cut off, as by
// a crash, is left out; without its end line a trace is not complete().
Trace read_jsonl(std::istream& in, const std::string& name, const TraceLimits& limits = {});
Trace read_jsonl(const std::filesystem::path& path, const TraceLimits& limits = {});

}  // namespace ringside::inline trace
