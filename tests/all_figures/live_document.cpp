// The live panel beside what is written of the same run: the document of `--json`, and the trace as a file.
#include <catch.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "live_check.h"
#include "ringside/figures/instant.h"
#include "ringside/figures/live.h"
#include "ringside/trace/files.h"
#include "run_json.h"

namespace ringside::figure {
namespace {

constexpr int64_t kCompared = 12;  // of a section that are compared
constexpr size_t kOfCurve = 50;    // of a curve

std::vector<ScalarEvent> events_of(const Trace& trace, const SectionView& section, int rank,
                                   const std::string& name) {
  std::vector<ScalarEvent> all;
  if (rank < section.ranks())
    for (const ScalarEvent& event : section.scalars(rank))
      if (trace.name(event.name) == name) all.push_back(event);
  return all;
}

// The panel shows the first rank's where several record the same.
bool is_first(const Trace& trace, const SectionView& section, int rank, const std::string& name) {
  for (int before = 0; before < rank; ++before)
    if (!events_of(trace, section, before, name).empty()) return false;
  return true;
}

size_t check_values(const Trace& trace, const SectionView& section, const Json& series,
                    const std::string& name) {
  const auto events = events_of(trace, section, series["rank"], name);
  REQUIRE(events.size() == series["y"].size());
  if (!is_first(trace, section, series["rank"], name)) return 0;
  LiveIndex index;
  index.update(trace, section, 0);
  const size_t stride = events.size() / kOfCurve + 1;
  for (size_t i = 0; i < events.size(); i += stride) {
    if (i + 1 < events.size() && events[i + 1].time_ns == events[i].time_ns) continue;
    const auto values = index.values(events[i].time_ns);
    const auto found = std::ranges::find(values, name, &LiveValue::name);
    REQUIRE(found != values.end());
    CHECK(found->step == series["x"][i].get<int64_t>());
    const Json& y = series["y"][i];
    CHECK((y.is_null() ? !std::isfinite(found->value) : found->value == y.get<double>()));
  }
  return 1;
}

int64_t first_memory_event(const SectionView& section) {
  int64_t first = INT64_MAX;
  for (int rank = 0; rank < section.ranks(); ++rank)
    for (const Category category : kCategories)
      if (const auto events = section.memory(rank, category); !events.empty())
        first = std::min(first, events[0].time_ns);
  return first;
}

size_t check_memory(const Trace& trace, const SectionView& section, const Json& series,
                    const std::string& category) {
  LiveIndex index;
  index.update(trace, section, 0);
  const auto kind = std::ranges::find(kCategories, category, [](Category one) { return to_string(one); });
  REQUIRE(kind != std::end(kCategories));
  const int64_t origin_ns = first_memory_event(section);
  const auto time_of = [&](size_t i) { return origin_ns + std::llround(1e9 * series["x"][i].get<double>()); };
  // Of more changes a point is the highest of a stretch of time.
  const size_t rank = series["rank"];
  if (section.memory(static_cast<int>(rank), *kind).size() != series["x"].size()) return 0;
  for (size_t i = 0; i < series["x"].size(); ++i) {
    if (i + 1 < series["x"].size() && time_of(i + 1) == time_of(i)) continue;
    const LiveMemory memory = index.memory(static_cast<int>(rank), time_of(i));
    CHECK(memory.kinds[static_cast<size_t>(*kind)] == series["y"][i].get<int64_t>());
  }
  return 1;
}

// Everything that the panel says, at some instants of a section.
struct Said {
  std::vector<LiveMemory> memory;
  std::vector<LiveTraffic> traffic;
  std::vector<std::vector<LiveValue>> values;
  std::vector<std::vector<int64_t>> sparks;
  std::vector<std::string> lines;  // and gauges
};

Said said_of(const Lesson& lesson, const Config& config, const Trace& trace, const SectionView& section) {
  LiveIndex index;
  index.update(trace, section, 0);
  const TimeRange range = time_range(section);
  Said said;
  for (int rank = 0; rank < index.ranks(); ++rank)
    said.sparks.push_back(index.spark(rank, range.first, range.last, kCompared));
  for (int64_t i = 0; i < kCompared; ++i) {
    const int64_t time_ns = range.first + range.length() * i / (kCompared - 1);
    for (int rank = 0; rank < index.ranks(); ++rank) {
      said.memory.push_back(index.memory(rank, time_ns));
      said.traffic.push_back(index.traffic(rank, time_ns));
    }
    said.values.push_back(index.values(time_ns));
    const FigureInput input{config, trace, &section, time_ns};
    std::ostringstream lines;
    for (const LiveLine& line : lesson.live ? lesson.live(input) : std::vector<LiveLine>())
      lines << line.name << ' ' << line.value << ' ' << line.more << '\n';
    for (const Gauge& gauge : lesson.gauges)
      if (const auto value = gauge.value(input)) lines << gauge.name << ' ' << *value << '\n';
    said.lines.push_back(lines.str());
  }
  return said;
}

}  // namespace

void check_live_document(const Lesson& lesson, const Config& config, const Trace& trace) {
  FigureOptions few;
  if (!lesson.figures.empty()) few.ids = {lesson.figures.front().id};
  std::ostringstream text;  // as it is written: NaN is null there
  write_json(run_document(lesson, config, trace, {}, few), text);
  const Json document = Json::parse(text.str());
  const auto& ledger = trace.rows().ledger;
  REQUIRE(document["ledger"].size() == ledger.size());
  for (size_t i = 0; i < ledger.size(); ++i) CHECK(document["ledger"][i]["counted"] == ledger[i].counted);
  size_t compared = 0;
  for (const Json& series : document["series"]) {
    const std::string name = series["name"];
    INFO(name << ", rank " << series["rank"]);
    const SectionView* section = nullptr;  // whose name may have a slash
    for (const SectionView& one : trace.sections())
      if (name.starts_with(one.name() + "/")) section = &one;
    REQUIRE(section != nullptr);
    const std::string of = name.substr(section->name().size() + 1);
    compared += of.starts_with("memory/") ? check_memory(trace, *section, series, of.substr(7))
                                          : check_values(trace, *section, series, of);
  }
  CHECK((compared > 0 || document["series"].empty()));
}

void check_live_reopened(const Lesson& lesson, const Config& config, const Trace& trace) {
  std::stringstream file;
  write_jsonl(trace, file);
  const Trace opened = read_jsonl(file, "the trace");
  REQUIRE(opened.sections().size() == trace.sections().size());
  for (const SectionView& section : trace.sections()) {
    INFO(section.name());
    const SectionView* other = opened.find(section.name());
    REQUIRE(other != nullptr);
    const Said now = said_of(lesson, config, trace, section), then = said_of(lesson, config, opened, *other);
    CHECK((now.memory == then.memory));
    CHECK((now.traffic == then.traffic));
    CHECK((now.values == then.values));
    CHECK((now.sparks == then.sparks));
    CHECK(now.lines == then.lines);
  }
}

}  // namespace ringside::figure
