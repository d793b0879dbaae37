#include "catch.h"
#include "random_cases.h"
#include "ringside/base/error.h"
#include "ringside/flight/files.h"
#include "scene.h"
#include "temp_folder.h"

using namespace ringside;
using testing::TempFolder;

namespace fs = std::filesystem;
namespace {

// Every field of its own value, so that two that are swapped show.
FlightDump sample() {
  FlightDump dump{.rank = 1,
                  .groups = {{"tp", "tensor \"parallel\" µ", {1, 0}}, {"dp", "", {0, 1, 5}}},
                  .entries = {},
                  .forgotten = 40,
                  .time_ns = 999'999'999};
  FlightEntry entry{.record_id = 41,
                    .group = "dp",
                    .collective_seq_id = 17,
                    .p2p_seq_id = 3,
                    .op = Op::kBroadcast,
                    .dtype = Dtype::kBFloat16,
                    .elements_in = 1001,
                    .elements_out = 2002,
                    .peer = 2,
                    .tag = "gradients",
                    .unit = "bucket \"3\"\n",
                    .time_created_ns = 5'000,
                    .time_discovered_started_ns = 6'000,
                    .time_discovered_completed_ns = 7'500,
                    .timeout_ms = 600'000,
                    .state = CollectiveState::kCompleted,
                    .retired = true};
  dump.entries.push_back(entry);
  entry = {.record_id = 42, .group = "tp", .collective_seq_id = 4, .p2p_seq_id = 8, .op = Op::kSend};
  entry.peer = 1;
  entry.dtype = Dtype::kFloat64;
  entry.state = CollectiveState::kStarted;
  dump.entries.push_back(entry);
  entry.record_id = 44;
  entry.op = Op::kRecv;
  entry.state = CollectiveState::kScheduled;
  dump.entries.push_back(entry);
  dump.broken = {"dp", "timeout", {2, 0}, "ranks 2 and 0 did not come"};
  return dump;
}

FlightDump parse(const std::string& text, int rank = -1) { return parse_flight_dump(text, "d.json", rank); }

std::string rejection(const std::string& text, int rank = -1) {
  try {
    parse(text, rank);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// As ProcessGroupNCCL's dump_json writes it: no rank, no tags, numbers of the status as text.
const std::string kPyTorch = R"({"version":"2.10","comm_lib_version":"2.27.5",
 "pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1, 2, 3, 4, 5, 6, 7]"}},
 "pg_status":{"0":{"last_enqueued_collective":"56731","last_completed_collective":"56730"}},
 "entries":[{"record_id":70,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":56731,
 "p2p_seq_id":0,"op_id":56731,"profiling_name":"nccl:all_reduce","time_created_ns":1763000000000000000,
 "input_sizes":[[467019003]],"input_dtypes":["BFloat16"],"output_sizes":[[467019003]],
 "output_dtypes":["BFloat16"],"state":"started","time_discovered_started_ns":1763000000100000000,
 "time_discovered_completed_ns":null,"retired":false,"timeout_ms":600000,"is_p2p":false},
 {"record_id":71,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":56731,"p2p_seq_id":2,
 "op_id":56732,"profiling_name":"nccl:recv 3<-0","time_created_ns":1763000000200000000,
 "input_sizes":[[2,3],[4]],"input_dtypes":["Float","Float"],"output_sizes":[],"output_dtypes":[],
 "state":"scheduled","retired":false,"timeout_ms":600000,"is_p2p":true}]})";

std::string reason(const std::string& path) {
  try {
    read_flight_dumps(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

std::vector<FlightDump> two_ranks() {
  Scene scene(2, {"dp"});
  scene.together({0, 1}, "dp");
  scene.stuck({0}, "dp");
  return scene.end();
}

}  // namespace

TEST_CASE("every field, operation, element type and state comes back; the names are PyTorch's") {
  FlightDump dump{.rank = 0, .groups = {{"dp", "", {0, 1}}}, .entries = {}};
  for (int op = 0; op <= static_cast<int>(Op::kBarrier); ++op)
    for (int dtype = 0; dtype <= static_cast<int>(Dtype::kBool); ++dtype)
      dump.entries.push_back({.record_id = static_cast<int64_t>(dump.entries.size()),
                              .group = "dp",
                              .op = static_cast<Op>(op),
                              .dtype = static_cast<Dtype>(dtype),
                              .peer = 1,
                              .state = static_cast<CollectiveState>(dump.entries.size() % 3)});
  CHECK(flight_json(parse(flight_json(dump))) == flight_json(dump));
  const std::string text = flight_json(sample());
  CHECK(flight_json(parse(text)) == text);
  for (const char* part :
       {"\"version\":\"2.10\"",
        "\"rank\":1,\"forgotten\":40,\"time_ns\":999999999",
        "\"broken\":{\"group\":\"dp\",\"kind\":\"timeout\",\"ranks\":[2,0],\"text\":\"ranks 2 and 0 did not",
        "\"name\":\"tp\",\"desc\":\"tensor \\\"parallel\\\" µ\",\"ranks\":\"[1, 0]\"",
        "\"record_id\":41",
        "\"p2p_seq_id\":3",
        "\"output_sizes\":[[2002]]",
        "\"time_created_ns\":5000",
        "\"timeout_ms\":600000",
        "\"time_discovered_started_ns\":6000",
        "\"time_discovered_completed_ns\":7500",
        "\"state\":\"completed\"",
        "\"peer\":2,\"tag\":\"gradients\",\"unit\":\"bucket \\\"3\\\"\\n\"",
        "\"p2p_seq_id\":8",
        "\"profiling_name\":\"ringside:recv",
        "\"ranks\":\"[0, 1, 5]\"",
        "\"last_enqueued_collective\":17",
        "\"last_started_collective\":17",
        "\"last_completed_collective\":17",
        "\"process_group\":[\"dp\",\"\"]",
        "\"collective_seq_id\":17",
        "\"profiling_name\":\"ringside:broadcast\"",
        "\"input_sizes\":[[1001]]",
        "\"input_dtypes\":[\"bfloat16\"]",
        "\"duration_ms\":0.0015",
        "\"is_p2p\":true",
        "\"profiling_name\":\"ringside:send 0->1\"",
        "\"retired\":true"}) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("JSON dumps of PyTorch are read, of Gloo too, whose calls never start") {
  const FlightDump dump = parse(kPyTorch, 6);
  CHECK(dump.rank == 6);
  CHECK(dump.forgotten == 70);  // its first record's number
  CHECK(dump.groups[0].description == "default_pg");
  CHECK(dump.groups[0].ranks.size() == 8);
  REQUIRE(dump.entries.size() == 2);
  CHECK(dump.entries[0].op == Op::kAllReduce);
  CHECK(dump.entries[0].dtype == Dtype::kBFloat16);
  CHECK(dump.entries[0].elements_in == 467'019'003);
  CHECK(dump.entries[0].collective_seq_id == 56'731);
  CHECK(dump.entries[0].time_discovered_completed_ns == 0);
  CHECK(dump.entries[0].state == CollectiveState::kStarted);
  CHECK(dump.entries[1].op == Op::kRecv);
  CHECK(dump.entries[1].peer == 0);
  CHECK(dump.entries[1].elements_in == 10);
  CHECK(rejection(kPyTorch) == "d.json: no 'rank'");
  std::string text = replaced(kPyTorch, "nccl:all_reduce", "gloo:all_reduce");
  text = replaced(text, "\"started\"", "\"scheduled\"");
  CHECK(parse(text, 0).entries[0].state == CollectiveState::kScheduled);
  text = replaced(text, "\"retired\":false", "\"retired\":true");
  text = replaced(text, "{\"0\":{\"name\":\"0\"", "{\"\":{\"name\":\"\"");
  const FlightDump gloo = parse(text, 0);
  CHECK(gloo.entries[0].state == CollectiveState::kCompleted);
  CHECK(gloo.entries[0].group == "0");
  CHECK(gloo.groups[0].name.empty());
}

TEST_CASE("what is wrong in a dump is named with its entry and field") {
  const auto without = [](const std::string& from, const std::string& to) {
    return rejection(replaced(kPyTorch, from, to), 0);
  };
  CHECK(rejection("") == "d.json: not JSON from byte 1 on");
  CHECK(rejection("[]") == "d.json: not a JSON object");
  CHECK(rejection("PK\x03").find("d.json: a zip archive") == 0);
  CHECK(rejection("\x80\x02}.") == "d.json: no 'version'");
  CHECK(rejection("{}") == "d.json: no 'version'");
  CHECK(without("nccl:all_reduce", "nccl:all_banana") ==
        "d.json: entry 0: profiling_name: 'nccl:all_banana' is not known");
  // One that is over is left out: nobody waits in it.
  const std::string over =
      R"({"record_id":69,"process_group":["0",""],"collective_seq_id":9,"profiling_name":"nccl:reduce",
    "input_sizes":[],"input_dtypes":["Float8_e4m3fn"],"output_sizes":[],"output_dtypes":[],"time_created_ns":5,"state":"completed"},)";
  CHECK(parse(replaced(kPyTorch, "\"entries\":[", "\"entries\":[" + over), 0).entries.size() == 2);
  CHECK(without("recv 3<-0", "recv 3->0").find("entry 1: profiling_name: 'nccl:recv 3->0'") !=
        std::string::npos);
  CHECK(without("\"BFloat16\"", "\"QInt8\"") == "d.json: entry 0: input_dtypes: 'QInt8' is not known");
  CHECK(without("\"started\"", "\"failed\"") ==
        "d.json: entry 0: state: 'failed' is not scheduled, started or completed");
  CHECK(without("\"record_id\":70", "\"record_id\":-1").find("entry 0: record_id: -1 is outside 0") !=
        std::string::npos);
  CHECK(without("\"record_id\":71", "\"record_id\":70") ==
        "d.json: entry 1: record_id: not above the one before");
  CHECK(without("[[467019003]]", "[[4670190030000000000]]").find("entry 0: input_sizes: 467019003") !=
        std::string::npos);
  CHECK(without("[[467019003]]", "[[16777216,16777216,2]]") == "d.json: entry 0: input_sizes: too large");
  CHECK(without("[[467019003]]", "[467019003]") == "d.json: entry 0: input_sizes: not an array of arrays");
  CHECK(without("\"timeout_ms\":600000", "\"timeout_ms\":1.5") ==
        "d.json: entry 0: timeout_ms: not a whole number, allowed are 0 to 281474976710656");
  CHECK(without("\"p2p_seq_id\":0", "\"p2p_seq_id\":0,\"p2p_seq_id\":0") ==
        "d.json: the key 'p2p_seq_id' stands twice");
  CHECK(without("1763000000000000000", "18446744073709551615").find("entry 0: time_created_ns: 1844") !=
        std::string::npos);
  CHECK(without("\"[0, 1, 2", "\"[1, 1, 2") == "d.json: pg_config: '0': ranks: a rank comes twice");
  CHECK(without("\"[0, 1, 2", "\"__import__('os')[").find("ranks: not a list of ranks as text") !=
        std::string::npos);
  CHECK(without("\"version\":\"2.10\"", "\"version\":\"3.0\"") ==
        "d.json: version: '3.0', known are 1 and 2");
}

TEST_CASE("what a dump asks for is bounded; cut off it is refused, or with a flipped byte", "[one_thread]") {
  CHECK(rejection(std::string(70u << 20, ' ')) == "d.json: more than 67108864 bytes");
  CHECK(rejection(std::string(1'000'000, '[')) == "d.json: nested deeper than 8");
  const std::string deep(10, '[');
  CHECK(rejection("{\"entries\":" + deep) == "d.json: nested deeper than 8");
  const std::string name(5'000, 'x');
  CHECK(rejection(replaced(kPyTorch, "nccl:all_reduce", "nccl:" + name), 0) ==
        "d.json: entry 0: profiling_name: longer than 4096 bytes");
  CHECK(rejection("{\"frame\":\"" + std::string(2u << 20, 'x') + "\"}") ==
        "d.json: a text is longer than 1048576 bytes");
  std::string many = "1";
  for (int i = 0; i < 100'001; ++i) many += ",1";
  CHECK(rejection("{\"version\":\"2.1\",\"rank\":0,\"pg_config\":{},\"entries\":[" + many + "]}") ==
        "d.json: more than 14001 values");
  const size_t kEvery = 10 / testing::random_cases(10);
  const std::string whole = flight_json(sample());
  for (size_t length = 0; length + 2 < whole.size(); length += kEvery) {
    INFO("cut after " << length << " of " << whole.size() << " bytes");
    CHECK_THROWS_AS(parse(whole.substr(0, length)), InputError);
  }
  for (const std::string& text : {flight_json(sample()), kPyTorch}) {
    int accepted = 0;
    for (size_t at = 0; at < text.size(); at += kEvery) {
      std::string doctored = text;
      doctored[at] = static_cast<char>(doctored[at] ^ "\x01\x04\x10"[at % 3]);
      try {
        const FlightDump dump = parse(doctored, 0);
        flight_pickle(dump);
        parse(flight_json(dump));
        ++accepted;
      } catch (const InputError&) {
      }
    }
    CHECK(accepted > 0);
  }
}

TEST_CASE("dumps are written for both readers and come back; a rank may stand in the name") {
  const TempFolder folder;
  const std::vector<FlightDump> dumps = two_ranks();
  write_flight_dumps(dumps, folder.file("inner"));
  for (const char* name : {"flight_0.json", "flight_1.json", "rank_0", "rank_1"})
    CHECK(fs::is_regular_file(folder.path / "inner" / name));
  const std::vector<FlightDump> back = read_flight_dumps(folder.file("inner"));
  REQUIRE(back.size() == 2);
  for (size_t i = 0; i < 2; ++i) CHECK(flight_json(back[i]) == flight_json(dumps[i]));
  const std::vector<FlightDump> one = read_flight_dumps(folder.file("inner/flight_1.json"));
  REQUIRE(one.size() == 1);
  CHECK(one[0].rank == 1);
  std::string text = flight_json(two_ranks()[1]);
  text.replace(text.find("\"rank\":1,"), 9, "");
  folder.write("nccl_trace_rank_7.json", text);
  CHECK(read_flight_dumps(folder.path.string()).at(0).rank == 7);
  folder.write("nameless.json", text);
  CHECK(reason(folder.file("nameless.json")) == folder.file("nameless.json") + ": no 'rank'");
}

TEST_CASE("what cannot be read is named") {
  const TempFolder folder;
  CHECK(reason(folder.file("none")) == folder.file("none") + ": cannot be read: No such file or directory");
  CHECK(reason(folder.path.string()) == folder.path.string() + ": no *.json and no pickle in it");
  folder.write("a.json", flight_json(two_ranks()[0]));
  folder.write("b.json", flight_json(two_ranks()[0]));
  CHECK(reason(folder.path.string()) == folder.path.string() + ": two dumps of rank 0");
  folder.write("b.json", "{");
  CHECK(reason(folder.path.string()) == folder.file("b.json") + ": not JSON from byte 2 on");
  fs::remove(folder.path / "b.json");
  fs::create_directories(folder.path / "c.json");
  CHECK(reason(folder.path.string()) == folder.file("c.json") + ": cannot be read: Is a directory");
  CHECK_THROWS_AS(write_flight_dumps(two_ranks(), folder.file("a.json")), InputError);
}
