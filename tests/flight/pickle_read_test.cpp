// Pickles as PyTorch and Python write them, and as nobody should.
#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/flight/files.h"
#include "situations.h"

using namespace ringside;

namespace {

FlightDump unpickled(const std::string& bytes) { return parse_flight_dump(bytes, "p", 0); }

std::string refused(const std::string& bytes) {
  try {
    unpickled(bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string pickled_text(const std::string& value) {
  return std::string("\x8c") + static_cast<char>(value.size()) + value;
}
// A dict with what a dump needs, and more of it.
std::string dump_with(const std::string& more) {
  return "\x80\x04}(" + pickled_text("version") + pickled_text("2.4") + pickled_text("pg_config") + "}" +
         pickled_text("entries") + more + "u.";
}

const std::string kPickledEntry =
    "}(" + pickled_text("record_id") + "K\x01" + pickled_text("process_group") + pickled_text("0") +
    pickled_text("dp") + "\x86" + pickled_text("profiling_name") + pickled_text("nccl:all_reduce") +
    pickled_text("input_sizes") +
    "](](K\x02K\x03"
    "ee" +
    pickled_text("output_sizes") + "]" + pickled_text("input_dtypes") + "](" + pickled_text("Half") + "e" +
    pickled_text("output_dtypes") + "]" + pickled_text("collective_seq_id") + "K\x07" +
    pickled_text("time_created_ns") + "I5\n" + pickled_text("state") + pickled_text("started") + "u";

}  // namespace

TEST_CASE("a pickle says what the JSON of the same dump says") {
  for (const Situation& situation : kSituations)
    for (const FlightDump& dump : situation.dumps()) {
      const FlightDump read = parse_flight_dump(flight_pickle(dump), situation.name, dump.rank);
      CHECK(read.rank == dump.rank);
      CHECK(read.groups.size() == dump.groups.size());
      REQUIRE(read.entries.size() == dump.entries.size());
      for (size_t i = 0; i < dump.entries.size(); ++i) {
        const FlightEntry &got = read.entries[i], &wanted = dump.entries[i];
        CHECK(std::tuple(got.record_id, got.group, got.collective_seq_id, got.op, got.dtype, got.elements_in,
                         got.time_created_ns, got.state) ==
              std::tuple(wanted.record_id, wanted.group, wanted.collective_seq_id, wanted.op, wanted.dtype,
                         wanted.elements_in, wanted.time_created_ns, wanted.state));
      }
    }
}

TEST_CASE("version 1, as PyTorch 2.3 wrote it: numbers for groups, and one number for all kinds of calls") {
  const auto number = [](int value) { return std::string("K") + static_cast<char>(value); };
  const auto entry = [&](int record, int seq, const std::string& name) {
    return "}(" + pickled_text("record_id") + number(record) + pickled_text("pg_id") + number(0) +
           pickled_text("seq_id") + number(seq) + pickled_text("op_id") + number(seq) +
           pickled_text("profiling_name") + pickled_text(name) + pickled_text("time_created_ns") + number(5) +
           pickled_text("input_sizes") + "](](" + number(2) + number(3) + "ee" +
           pickled_text("output_sizes") + "]" + pickled_text("state") + pickled_text("started") +
           pickled_text("time_discovered_started_ns") + number(6) +
           pickled_text("time_discovered_completed_ns") + "N" + pickled_text("retired") + "\x89" +
           pickled_text("frames") + "]u";
  };
  const auto dump = [&](const std::string& entries) {
    return "\x80\x02}(" + pickled_text("entries") + "](" + entries + "e" + pickled_text("version") +
           pickled_text("1.4") + pickled_text("pg_config") + "}(" + number(0) + "](" + number(0) + number(1) +
           "eu" + "u.";
  };
  FlightDump read = unpickled(dump(entry(7, 9, "nccl:all_reduce")));
  REQUIRE(read.entries.size() == 1);
  CHECK(read.entries[0].group == "0");
  CHECK(read.entries[0].collective_seq_id == 9);
  CHECK(read.entries[0].elements_in == 6);
  CHECK(read.entries[0].state == CollectiveState::kStarted);
  REQUIRE(read.groups.size() == 1);
  CHECK(read.groups[0].ranks == std::vector<int>{0, 1});
  CHECK(read.forgotten == 7);
  read = unpickled(dump(entry(0, 1, "nccl:all_reduce") + entry(1, 2, "nccl:send 0->1") +
                        entry(2, 3, "nccl:send 0->1") + entry(3, 4, "nccl:all_reduce")));
  REQUIRE(read.entries.size() == 4);
  CHECK(std::pair(read.entries[2].collective_seq_id, read.entries[2].p2p_seq_id) ==
        std::pair(int64_t{1}, int64_t{2}));
  CHECK(read.entries[3].collective_seq_id == 2);
  CHECK(refused(dump(entry(3, 4, "nccl:send 0->1"))).find("version 1 counts sends and receives") !=
        std::string::npos);
  std::string without = dump(entry(7, 9, "nccl:all_reduce"));
  without.replace(without.find("seq_id"), 6, "seq_ix");
  CHECK(refused(without).find("entry 0: no 'seq_id'") != std::string::npos);
}

TEST_CASE("what stands once in a pickle and is used again") {
  const FlightDump dump = unpickled(dump_with("](" + kPickledEntry + "e"));
  REQUIRE(dump.entries.size() == 1);
  CHECK(dump.entries[0].elements_in == 6);
  CHECK(dump.entries[0].collective_seq_id == 7);
  std::string negative = kPickledEntry;
  negative.replace(negative.find("K\x07"), 2, "J\xff\xff\xff\xff");
  CHECK(unpickled(dump_with("](" + negative + "e")).entries[0].collective_seq_id == -1);
  // PyTorch keeps a dict once it is complete; Python keeps an empty one and fills it then.
  CHECK(refused(dump_with("]("
                          "K\x01q\x05h\x05"
                          "e"))
            .find("entry 0: not a JSON object") != std::string::npos);
  CHECK(unpickled(
            dump_with("]" + pickled_text("frames") + "}(" + pickled_text("line") + "K\x01uq\x06h\x06\x86"))
            .entries.empty());
  CHECK(refused(dump_with("]q\x02(h\x02"
                          "e"))
            .find("holds itself") != std::string::npos);
  CHECK(refused(dump_with("h\x09")).find("not there yet") != std::string::npos);
}

TEST_CASE("a pickle that asks for code is refused by name") {
  const std::string call = "(" + pickled_text("echo hello") + "tR";
  CHECK(refused("\x80\x02"
                "cposix\nsystem\n" +
                call + ".") == "p: pickle: it asks for posix.system; only plain values are read");
  CHECK(refused(dump_with("(iposix\nsystem\n")).find("asks for posix.system") != std::string::npos);
  CHECK(refused(dump_with(pickled_text("posix") + pickled_text("system") + "\x93"))
            .find("asks for posix.system") != std::string::npos);
  CHECK(refused(dump_with(pickled_text("x") + ")R")).find("opcode 0x52") != std::string::npos);
  CHECK(refused(dump_with("Pid\n")).find("makes an object") != std::string::npos);
}

TEST_CASE("a pickle is bounded before it is believed") {
  CHECK(refused(dump_with(std::string(40, ']') + std::string(39, 'a'))).find("deeper than 32") !=
        std::string::npos);
  CHECK(refused("\x80\x02X\xff\xff\xff\x7f"
                "abc.")
            .find("cut off") != std::string::npos);
  CHECK(refused("\x80\x02\x8a\x09"
                "123456789.")
            .find("more than 64 bits") != std::string::npos);
  CHECK(refused("\x80\x02(u.").find("makes no sense") != std::string::npos);
  CHECK(refused("\x80\x02}(K\x01u.").find("makes no sense") != std::string::npos);
  CHECK(refused("\x80\x02N").find("no STOP") != std::string::npos);
  CHECK(refused("\x80\x02NN.").find("makes no sense") != std::string::npos);
  // Each list holds the one before it twice: 2^40 values in 400 bytes.
  std::string laughs =
      "]"
      "K\x01"
      "a";
  for (int i = 0; i < 20; ++i) laughs = laughs + "2\x86";
  CHECK(refused(dump_with(laughs)).find("need more than") != std::string::npos);
}
