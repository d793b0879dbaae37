// A trace with other figures in it, made of a real one by way of its file: what follows from the trace alone,
// such as a claim or a figure, must follow.
#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "ringside/trace/files.h"

namespace ringside::testing {

enum class Doctored {
  kNumbers,  // every scalar, time, count of bytes, number in a row, in the outcome and in the ledger
  kAll       // and every text and yes or no in a row, and every number that a section says of itself
};

// Times grow unevenly and keep their order. Numbers grow by a factor that differs from record to record, so
// that shares and ratios change too.
inline Trace doctored(const Trace& trace, Doctored how) {
  using Json = nlohmann::ordered_json;
  std::stringstream file, changed;
  write_jsonl(trace, file);
  int64_t first_ns = INT64_MAX, nth = 0;
  const auto factor = [&] { return 2 + nth % 3; };
  const auto later = [&](int64_t time_ns) {
    if (time_ns == 0) return time_ns;  // "not yet"
    first_ns = std::min(first_ns, time_ns);
    const double seconds = static_cast<double>(time_ns - first_ns) / 1e9;
    return first_ns + 3 * (time_ns - first_ns) + static_cast<int64_t>(std::max(seconds, 0.0) * seconds * 1e8);
  };
  const auto change = [&](Json& value) {
    if (value.is_number_integer()) value = value.get<int64_t>() % (int64_t{1} << 60) * factor() + 1;
    if (value.is_number_float()) value = value.get<double>() * static_cast<double>(factor()) + 0.25;
    if (how != Doctored::kAll) return;
    if (value.is_boolean()) value = !value.get<bool>();
    if (value.is_string()) value = value.get<std::string>() + "~";
  };
  for (std::string line; std::getline(file, line); ++nth) {
    Json record = Json::parse(line);
    const std::string type = record.value("type", "");
    for (auto& [key, value] : record.items()) {
      if (key.ends_with("_ns") && value.is_number_integer()) value = later(value.get<int64_t>());
      if (key.starts_with("bytes") || key.ends_with("_bytes")) value = value.get<int64_t>() * factor();
    }
    if (type == "scalar" || type == "outcome") change(record["value"]);
    if (type == "ledger") change(record["counted"]);
    if (type == "row")
      for (Json& value : record["values"]) change(value);
    if (type == "section" && how == Doctored::kAll)
      for (auto& [key, value] : record["attributes"].items())
        if (value.is_number()) change(value);
    changed << record.dump() << '\n';
  }
  return read_jsonl(changed, "doctored");
}

}  // namespace ringside::testing
