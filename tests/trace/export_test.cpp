#include <nlohmann/json.hpp>

#include "catch.h"
#include "ringside/base/random.h"
#include "ringside/trace/files.h"
#include "sample_trace.h"

using namespace ringside;
using Json = nlohmann::json;

namespace {

Json chrome(const Trace& trace) {
  std::ostringstream out;
  export_chrome(trace, out);
  return Json::parse(out.str());
}

// The text of "ts" or "dur" in nanoseconds, from the exact decimals of the document.
int64_t nanoseconds(const Json& event, const char* key) {
  return std::llround(event.at(key).get<double>() * 1000);
}

std::vector<Json> with_phase(const Json& document, const std::string& phase) {
  std::vector<Json> events;
  for (const Json& event : document.at("traceEvents"))
    if (event.at("ph") == phase) events.push_back(event);
  return events;
}

// Two slices of one thread are apart or one holds the other.
int crossing_pairs(const Json& document) {
  std::map<std::pair<int, int>, std::vector<std::pair<int64_t, int64_t>>> threads;
  for (const Json& event : with_phase(document, "X")) {
    const int64_t start = nanoseconds(event, "ts");
    threads[{event.at("pid"), event.at("tid")}].emplace_back(start, start + nanoseconds(event, "dur"));
  }
  int crossing = 0;
  for (const auto& [thread, slices] : threads)
    for (size_t i = 0; i < slices.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const auto [outer, inner] = std::minmax(slices[i], slices[j], [](const auto& a, const auto& b) {
          return a.first != b.first ? a.first < b.first : a.second > b.second;
        });
        crossing += outer.second > inner.first && inner.second > outer.second;
      }
  return crossing;
}

}  // namespace

TEST_CASE("the one document holds every record") {
  std::ostringstream out;
  export_json(sample_trace(), out);
  const Json document = Json::parse(out.str());
  CHECK(document.at("ringside_trace") == kTraceFileVersion);
  CHECK(document.at("scenario") == "zero ranks=2 stage=all");
  CHECK(document.at("complete") == true);
  CHECK(document.at("sections").size() == 3);
  CHECK(document.at("sections")[0].at("attributes").at("psi") == 1048576);
  for (const char* track : {"collectives", "memory", "spans", "notes"}) CHECK(document.at(track).size() == 2);
  CHECK(document.at("scalars").size() == 4);
  CHECK(document.at("messages").size() == 2);
  CHECK(document.at("rows")[1].at("values")[2] == "inf");
  CHECK(document.at("collectives")[1].at("rank") == 1);
  CHECK(document.at("collectives")[1].at("group") == "dp");
  CHECK(document.at("scalars")[2].at("value") == "nan");
  CHECK(document.at("claims")[0].at("verdict") == "partly");
  CHECK(document.at("ledger")[1].at("predicted").is_null());
  CHECK(document.at("outcome").size() == 3);
  std::ostringstream empty;
  export_json(Trace(), empty);
  CHECK(Json::parse(empty.str()).at("spans").empty());
}

TEST_CASE("a Chrome trace has a process a rank, with slices, counters and moments") {
  const Json document = chrome(sample_trace());
  std::map<int, std::string> processes;
  std::map<int, int> threads;
  for (const Json& event : with_phase(document, "M")) {
    if (event.at("name") == "process_name") processes[event.at("pid")] = event.at("args").at("name");
    if (event.at("name") == "thread_name") ++threads[event.at("pid")];
  }
  CHECK(processes ==
        std::map<int, std::string>{{0, "stage 1, rank 0"}, {1, "stage 1, rank 1"}, {2, "stage 2, rank 0"}});
  CHECK(threads == std::map<int, int>{{0, 2}, {1, 2}, {2, 3}});
  const auto slices = with_phase(document, "X");
  REQUIRE(slices.size() == 5);
  const Json& compute = slices[2];
  CHECK(compute.at("pid") == 1);
  CHECK(compute.at("tid") == 0);
  CHECK(compute.at("args").at("step") == 7);
  const Json& comm = slices[3];
  CHECK(comm.at("tid") == 1);
  CHECK(comm.at("name") == "reduce_scatter");
  CHECK(comm.at("args").at("In msg nelems") == 1001);
  CHECK(comm.at("args").at("Process Group Name") == "dp");
  CHECK(nanoseconds(comm, "dur") == 1000);
  // One counter a rank for memory and one for the loss; NaN and infinity have no place in one.
  CHECK(with_phase(document, "C").size() == 4);
  // A viewer draws every argument of a counter as a curve.
  for (const Json& counter : with_phase(document, "C")) CHECK(counter.at("args").size() == 1);
  const Json& message = slices[4];
  CHECK(message.at("tid") == 2);
  CHECK(message.at("name") == "push");
  CHECK(nanoseconds(message, "dur") == 1500);
  CHECK(message.at("args").at("state") == "received again");
  const auto moments = with_phase(document, "i");
  REQUIRE(moments.size() == 7);  // the notes, the rows, the lost message, a beginning and an end
  CHECK(moments[2].at("name") == "storage");
  CHECK(moments[2].at("args").at("offset") == 4096);
}

TEST_CASE("times in a Chrome trace are microseconds since the first event, to the nanosecond") {
  auto store = TraceStore::create("");
  Recorder& recorder = *store->add_section("", {}, 1).front();
  recorder.span("a", kSampleStart, kSampleStart + 1'002'003);
  recorder.span("b", kSampleStart + 1'002'003, kSampleStart + 1'002'003);
  std::ostringstream out;
  export_chrome(store->snapshot(), out);
  CHECK(out.str().find("\"ts\":0.000,\"cat\":\"compute\",\"dur\":1002.003") != std::string::npos);
  CHECK(out.str().find("\"ts\":1002.003,\"cat\":\"compute\",\"dur\":0.000") != std::string::npos);
  CHECK(Json::parse(out.str()).at("metadata").at("origin_ns") == kSampleStart);
}

TEST_CASE("slices of one thread nest or are asynchronous pairs, and none ends before it starts") {
  auto store = TraceStore::create("");
  const auto recorders = store->add_section("a", {}, 2);
  RandomStream stream(1, "spans");
  constexpr int kSpans = 200;
  for (Recorder* recorder : recorders)
    for (int i = 0; i < kSpans; ++i) {
      const auto start = static_cast<int64_t>(stream.below(1000));
      recorder->span("s", start, start + static_cast<int64_t>(stream.below(100)));
    }
  const Json document = chrome(store->snapshot());
  const size_t nested = with_phase(document, "X").size(), apart = with_phase(document, "b").size();
  CHECK(nested + apart == 2 * kSpans);
  CHECK(nested > 0);
  CHECK(apart > 0);
  CHECK(with_phase(document, "e").size() == apart);
  CHECK(crossing_pairs(document) == 0);
  auto backwards = TraceStore::create("");
  backwards->add_section("a", {}, 1).front()->span("s", 100, 50);
  const auto turned = with_phase(chrome(backwards->snapshot()), "X");
  REQUIRE(turned.size() == 1);
  CHECK(nanoseconds(turned[0], "dur") == 0);
  auto together = TraceStore::create("");  // the inner one is recorded first
  Recorder& pen = *together->add_section("a", {}, 1).front();
  pen.span("inner", 100, 150), pen.span("outer", 100, 200), pen.begin(40);
  const Json both = chrome(together->snapshot());
  CHECK(with_phase(both, "b").empty());
  CHECK(both.at("metadata").at("origin_ns") == 40);  // the rank was there before
}
