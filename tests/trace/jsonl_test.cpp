#include <fstream>
#include <sstream>
#include <string>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/trace/files.h"
#include "sample_trace.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

std::string jsonl(const Trace& trace) {
  std::ostringstream out;
  write_jsonl(trace, out);
  return out.str();
}

Trace read(const std::string& text, const TraceLimits& limits = {}) {
  std::istringstream in(text);
  return read_jsonl(in, "t.jsonl", limits);
}

std::string rejection(const std::string& text, const TraceLimits& limits = {}) {
  try {
    read(text, limits);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kHeader = "{\"ringside_trace\":2,\"scenario\":\"s\"}\n";
const std::string kSection = "{\"type\":\"section\",\"name\":\"a\",\"ranks\":1,\"attributes\":{}}\n";
std::string note(const std::string& section, const std::string& rank, const std::string& step) {
  return "{\"type\":\"note\",\"section\":" + section + ",\"rank\":" + rank +
         ",\"name\":\"n\",\"unit\":\"\",\"step\":" + step + ",\"time_ns\":5}\n";
}

}  // namespace

TEST_CASE("a trace comes back from JSONL field by field") {
  const Trace trace = read(jsonl(sample_trace()));
  CHECK(trace.scenario() == "zero ranks=2 stage=all");
  CHECK(trace.complete());
  REQUIRE(trace.sections().size() == 3);
  const SectionView& section = trace.sections()[0];
  CHECK(section.name() == "stage 1");
  CHECK(section.integer("psi") == 1048576);
  CHECK(section.attributes() ==
        Attributes{{"psi", 1048576}, {"share", 0.25}, {"kept", true}, {"precision", "bf16"}});
  REQUIRE(section.ranks() == 2);
  const int64_t start = kSampleStart + 1;

  const CollectiveEvent& collective = section.collectives(1)[0];
  CHECK(collective.rank == 1);
  CHECK(trace.name(collective.group) == "dp");
  CHECK(trace.name(collective.tag) == "gradients");
  CHECK(trace.name(collective.unit) == "bucket 3");
  CHECK(collective.peer == 2);
  CHECK(collective.collective_seq_id == 41);
  CHECK(collective.elements == 1001);
  CHECK(collective.bytes_in == 2002);
  CHECK(collective.bytes_sent == 1503);
  CHECK(collective.time_created_ns == start + 10);
  CHECK(collective.time_started_ns == start + 2000);
  CHECK(collective.time_completed_ns == start + 3000);
  CHECK(collective.op == Op::kReduceScatter);
  CHECK(collective.dtype == Dtype::kBFloat16);
  CHECK(collective.state == CollectiveState::kCompleted);

  const MemoryEvent& memory = section.memory(1, Category::kOptimizer)[0];
  CHECK(memory.time_ns == start + 5);
  CHECK(memory.delta_bytes == -64);
  CHECK(memory.live_bytes == 128);
  CHECK(memory.peak_bytes == 192);
  CHECK(memory.total_bytes == 256);
  CHECK(memory.storage == 31);
  CHECK(trace.name(memory.unit) == "layer 2");
  CHECK(trace.name(memory.tensor) == "model.norm.weight");
  CHECK(section.memory_pyramid(1, Category::kOptimizer).range(0, 1)->max == 128);

  const SpanEvent& span = section.spans(1)[0];
  CHECK(trace.name(span.name) == "forward \"quoted\"\n\\");
  CHECK(trace.name(span.unit) == "layer µ");
  CHECK(span.step == 7);
  CHECK(span.start_ns == start);
  CHECK(span.end_ns == start + 4000);
  const ScalarEvent& scalar = section.scalars(1)[0];
  CHECK(trace.name(scalar.name) == "loss");
  CHECK(scalar.value == 0.1);
  CHECK(scalar.step == 8);
  CHECK(scalar.time_ns == start + 6);
  const NoteEvent& entry = section.notes(1)[0];
  CHECK(trace.name(entry.name) == "step entry");
  CHECK(trace.name(entry.unit) == "u");
  CHECK(entry.step == 9);
  CHECK(entry.time_ns == start + 7);
  CHECK(trace.sections()[1].life(0).began_ns == kSampleStart - 3);
  CHECK(trace.sections()[1].life(0).ended_ns == kSampleStart + 5000);
  CHECK_FALSE(section.life(0).began_ns);
  const MessageEvent& message = trace.sections()[1].messages(0)[0];
  CHECK(message.id == 17);
  CHECK(message.state == MessageState::kReceivedAgain);
  CHECK(trace.name(message.tag) == "push");
  CHECK(message.bytes == 400);
  CHECK(message.first_key == 200);
  CHECK(message.keys == 100);
  CHECK(message.time_sent_ns == kSampleStart + 20);
  CHECK(message.time_received_ns == kSampleStart + 1520);
  CHECK(trace.sections()[1].messages(0)[1].state == MessageState::kLost);
  CHECK(std::isnan(trace.sections()[1].scalars(0)[0].value));
  CHECK(trace.sections()[1].scalars(0)[1].value == -INFINITY);
}

TEST_CASE("the rows come back too") {
  const TraceRows rows = read(jsonl(sample_trace())).rows();
  REQUIRE(rows.predictions.size() == 2);
  CHECK(rows.predictions[0].id == "p1");
  CHECK(rows.predictions[0].question == "How much?");
  CHECK(rows.predictions[0].unit == "bytes");
  CHECK(rows.predictions[0].answer == 16.5);
  REQUIRE(rows.predictions[0].wrong.size() == 1);
  CHECK(rows.predictions[0].wrong[0].name == "forgot the fp32 master copy");
  CHECK(rows.predictions[0].wrong[0].value == 12);
  CHECK(rows.predictions[0].words.empty());
  CHECK(rows.predictions[0].wrong[0].words.empty());
  CHECK(rows.predictions[1].words == std::vector<std::string>{"Ψ", "second \"2\""});
  REQUIRE(rows.predictions[1].wrong.size() == 1);
  CHECK(rows.predictions[1].wrong[0].words == std::vector<std::string>{"second \"2\"", "Ψ"});
  REQUIRE(rows.claims.size() == 1);
  CHECK(rows.claims[0].source == "ZeRO, 7.2");
  CHECK(rows.claims[0].statement == "stage 2 costs 2Ψ");
  CHECK(rows.claims[0].verdict == Verdict::kPartly);
  CHECK(rows.claims[0].evidence == "1.50 Ψ");
  REQUIRE(rows.ledger.size() == 2);
  CHECK(rows.ledger[0].what == "traffic");
  CHECK(rows.ledger[0].section == "stage 2");
  CHECK(rows.ledger[0].rank == 1);
  CHECK(rows.ledger[0].category == "gradients");
  CHECK(rows.ledger[0].op == "reduce_scatter");
  CHECK(rows.ledger[0].predicted == 100);
  CHECK(rows.ledger[0].counted == 104);
  CHECK(rows.ledger[0].unexplained() == 0);
  CHECK(rows.ledger[0].reasons[0].name == "padding");
  CHECK(rows.ledger[1].at == "step entry");
  CHECK_FALSE(rows.ledger[1].predicted);
  CHECK(rows.outcome == sample_rows().outcome);
  CHECK(rows.outcome_text == sample_rows().outcome_text);
  CHECK(rows.lines == sample_rows().lines);
}

TEST_CASE("what was read is written again byte for byte") {
  const std::string text = jsonl(sample_trace());
  CHECK(jsonl(read(text)) == text);
  CHECK(jsonl(read(jsonl(Trace()))) == jsonl(Trace()));
}

TEST_CASE("a line that does not fit is refused with its place") {
  CHECK(rejection("") == "t.jsonl:1: not a trace: no header line");
  const std::string no_trace = "t.jsonl:1: not a trace as `ringside run --trace FILE.jsonl` writes it";
  CHECK(rejection("hello\n") == no_trace);
  CHECK(rejection("[1]\n") == no_trace);
  CHECK(rejection("{\"traceEvents\":[]}\n") == no_trace);
  CHECK(rejection("{\"ringside_trace\":4}\n") == "t.jsonl:1: version 4: this program reads versions 1 to 3");
  CHECK(rejection("{\"ringside_trace\":0}\n") == "t.jsonl:1: version 0: this program reads versions 1 to 3");
  CHECK(rejection(kHeader + "{\"type\":\"banana\"}\n") == "t.jsonl:2: type: 'banana' is not known");
  CHECK(rejection(kHeader + "{}\n") == "t.jsonl:2: no 'type'");
  CHECK(rejection(kHeader + "\n") == "t.jsonl:2: not JSON");
  CHECK(rejection(kHeader + note("0", "0", "1")).find("t.jsonl:2: section: 0 is outside") == 0);
  const std::string start = kHeader + kSection;
  CHECK(rejection(start + note("0", "0", "1")) == "accepted");
  CHECK(rejection(start + note("0", "1", "1")).find("t.jsonl:3: rank: 1 is outside") == 0);
  CHECK(rejection(start + note("0", "-1", "1")).find("t.jsonl:3: rank: -1 is outside") == 0);
  CHECK(rejection(start + note("0", "0", "1.5")).find("t.jsonl:3: step: not a whole number") == 0);
  CHECK(rejection(start + note("0", "0", "18446744073709551615")).find("t.jsonl:3: step: 1844") == 0);
  CHECK(rejection(start + note("0", "0", "-9223372036854775808")).find("t.jsonl:3: step: -922") == 0);
  CHECK(rejection(start + note("0", "0", "null")) == "t.jsonl:3: no 'step'");
  CHECK(rejection(start + kSection) == "t.jsonl:3: section 'a' comes twice");
  CHECK(rejection(start + "{\"type\":\"end\",\"complete\":1}\n") ==
        "t.jsonl:3: complete: neither true nor false");
  CHECK(rejection(start + "{\"type\":\"end\",\"complete\":true}\n" + note("0", "0", "1")) ==
        "t.jsonl:4: a line after the end line");
  CHECK(rejection(kHeader + "{\"type\":\"line\",\"text\":\"\xff\"}\n") == "t.jsonl:2: not JSON");
}

TEST_CASE("memory events of a file without storages are read, their storage is not known") {
  const auto memory = [](const std::string& storage) {
    return kHeader + kSection +
           "{\"type\":\"memory\",\"section\":0,\"rank\":0,\"time_ns\":5,\"category\":\"other\",\"delta_"
           "bytes\":8,"
           "\"live_bytes\":8,\"peak_bytes\":8,\"total_bytes\":8" +
           storage + ",\"unit\":\"\",\"tensor\":\"\"}\n";
  };
  const auto storage_of = [](const std::string& text) {
    return read(text).sections()[0].memory(0, Category::kOther)[0].storage;
  };
  CHECK(storage_of(memory("")) == 0);
  CHECK(storage_of(memory(",\"storage\":3000000000")) == 3'000'000'000);
  CHECK(rejection(memory(",\"storage\":-1")).find("t.jsonl:3: storage: -1 is outside 0 to") == 0);
  CHECK(rejection(memory(",\"storage\":18446744073709551615")).find("t.jsonl:3: storage: 1844") == 0);
  CHECK(rejection(memory(",\"storage\":\"7\"")).find("t.jsonl:3: storage: not a whole number") == 0);
}

TEST_CASE("a message of a file is between ranks of its section") {
  const auto message = [](const std::string& from, const std::string& to, const std::string& bytes) {
    return kHeader + kSection +
           "{\"type\":\"message\",\"section\":0,\"rank\":0,\"id\":1,\"state\":\"sent\",\"tag\":\"\","
           "\"from\":" +
           from + ",\"to\":" + to + ",\"bytes\":" + bytes +
           ",\"first_key\":0,\"keys\":0,\"time_sent_ns\":1,\"time_received_ns\":0}\n";
  };
  CHECK(rejection(message("0", "0", "8")) == "accepted");
  CHECK(rejection(message("1", "0", "8")) == "t.jsonl:3: from: 1 is outside 0 to 0");
  CHECK(rejection(message("0", "-1", "8")) == "t.jsonl:3: to: -1 is outside 0 to 0");
  CHECK(rejection(message("0", "0", "-8")).find("t.jsonl:3: bytes: -8 is outside 0 to") == 0);
}

TEST_CASE("the coming and going of a rank is told once, in order") {
  const auto life = [](const std::string& rank, const std::string& began, const std::string& ended) {
    return "{\"type\":\"rank\",\"section\":0,\"rank\":" + rank + ",\"began_ns\":" + began +
           ",\"ended_ns\":" + ended + "}\n";
  };
  const std::string start = kHeader + kSection;
  CHECK(rejection(start + life("0", "1", "null")) == "accepted");
  CHECK(rejection(start + life("0", "2", "1")) == "t.jsonl:3: ended_ns: 1 is before 2");
  CHECK(rejection(start + life("0", "1", "2") + life("0", "null", "2")) ==
        "t.jsonl:4: rank: its coming and going is told twice");
  CHECK(rejection(start + life("1", "1", "2")) == "t.jsonl:3: rank: 1 is outside 0 to 0");
  CHECK(rejection(start + life("0", "true", "2")).find("t.jsonl:3: began_ns: not a whole number") == 0);
}

TEST_CASE("a device that fails is named, with the line that was reached") {
  struct Broken : std::streambuf {
    std::string text = kHeader;
    Broken() { setg(text.data(), text.data(), text.data() + text.size()); }
    int_type underflow() override { throw std::ios_base::failure("gone"); }
  } broken;
  std::istream in(&broken);
  CHECK_THROWS_WITH(read_jsonl(in, "t.jsonl"), "t.jsonl:2: cannot be read further");
}

TEST_CASE("attributes of version 1, all of them text, are what they say") {
  const Trace trace = read(
      "{\"ringside_trace\":1,\"scenario\":\"s\"}\n"
      "{\"type\":\"section\",\"name\":\"a\",\"ranks\":1,\"attributes\":"
      "{\"psi\":\"1048576\",\"overlap\":\"on\",\"reshard\":\"off\",\"precision\":\"bf16\"}}\n");
  const SectionView& section = trace.sections().front();
  CHECK(section.integer("psi") == 1048576);
  CHECK(section.yes("overlap"));
  CHECK(!section.yes("reshard"));
  CHECK(section.text("precision") == "bf16");
}

TEST_CASE("an attribute is text, a number, or true or false", "[one_thread]") {
  const auto with = [](const std::string& value) {
    return kHeader + "{\"type\":\"section\",\"name\":\"a\",\"ranks\":1,\"attributes\":{\"x\":" + value +
           "}}\n";
  };
  for (const char* value : {"\"\"", "-3", "0.5", "1e300", "true", "false"})
    CHECK(rejection(with(value)) == "accepted");
  for (const char* value : {"null", "[]", "{}"})
    CHECK(rejection(with(value)) == "t.jsonl:2: attribute 'x': neither text, a number, nor true or false");
  CHECK(rejection(with("18446744073709551615")).find("is outside") != std::string::npos);
}

TEST_CASE("what a file asks for is bounded", "[one_thread]") {
  const auto section = [](const std::string& name, const std::string& ranks) {
    return "{\"type\":\"section\",\"name\":\"" + name + "\",\"ranks\":" + ranks + ",\"attributes\":{}}\n";
  };
  CHECK(rejection(kHeader + section("a", "1000000000")).find("ranks: 1000000000 is outside 0 to 2048") !=
        std::string::npos);
  CHECK(rejection(kHeader + section("a", "3") + section("b", "2"), {.ranks = 4}).find("outside 0 to 1") !=
        std::string::npos);
  CHECK(rejection(kHeader + section("a", "0") + section("b", "0"), {.sections = 1}) ==
        "t.jsonl:3: more than 1 sections");
  CHECK(rejection(kHeader + kSection + kSection, {.lines = 2}) == "t.jsonl:3: more than 2 lines");
  CHECK(rejection(kHeader + std::string(2'000'000, 'x')) == "t.jsonl:2: a line longer than 1048576 bytes");
  CHECK(rejection(kHeader, {.line_bytes = kHeader.size() - 1}) == "accepted");
  CHECK(rejection(kHeader, {.line_bytes = kHeader.size() - 2}) == "t.jsonl:1: a line longer than 34 bytes");
  CHECK(rejection(kHeader + std::string(1'000'000, '[') + "\n") == "t.jsonl:2: not JSON");
  CHECK(rejection(kHeader + std::string(500'000, '[') + std::string(500'000, ']') + "\n") ==
        "t.jsonl:2: not a JSON object");
  std::string reasons = "{\"name\":\"r\",\"bytes\":1}";
  for (int i = 0; i < 16; ++i) reasons += ",{\"name\":\"r\",\"bytes\":1}";
  CHECK(rejection(kHeader +
                  "{\"type\":\"ledger\",\"what\":\"\",\"section\":\"\",\"rank\":0,\"category\":\"\",\"at\":"
                  "\"\",\"op\":"
                  "\"\",\"predicted\":null,\"counted\":0,\"reasons\":[" +
                  reasons + "]}\n") == "t.jsonl:2: reasons: 17 values, allowed are 0 to 16");
}

TEST_CASE("a file that was cut off gives what it still holds", "[one_thread]") {
  const std::string text = jsonl(sample_trace());
  const size_t header_end = text.find('\n');
  for (size_t length = 0; length < text.size(); ++length) {
    INFO("cut after " << length << " of " << text.size() << " bytes");
    if (length < header_end) {
      CHECK_THROWS_AS(read(text.substr(0, length)), InputError);
      continue;
    }
    const Trace trace = read(text.substr(0, length));
    CHECK(trace.complete() == (length == text.size() - 1));  // only the last line break is missing
  }
}

TEST_CASE("a flipped byte is refused or read as something that can be shown", "[one_thread]") {
  auto store = TraceStore::create("zero");
  record_sample_rank(*store->add_section("stage 1", {{"psi", "1"}}, 1).front());
  TraceRows rows = sample_rows();
  rows.ledger.pop_back();
  store->set_rows(rows);
  const std::string text = jsonl(store->snapshot());
  int accepted = 0;
  for (size_t at = 0; at < text.size(); ++at)
    for (const char flip : {'\x01', '\x10'}) {
      std::string doctored = text;
      doctored[at] = static_cast<char>(doctored[at] ^ flip);
      try {
        const Trace trace = read(doctored);
        std::ostringstream out;
        write_jsonl(trace, out);
        export_json(trace, out);
        export_chrome(trace, out);
        for (const LedgerRow& row : trace.rows().ledger) row.unexplained();
        ++accepted;
      } catch (const InputError&) {
      }
    }
  CHECK(accepted > 0);
}

TEST_CASE("files are named where they cannot be read, and come back where they can") {
  const testing::TempFolder folder;
  const std::filesystem::path path = folder.path / "run.jsonl";
  write_trace_file(sample_trace(), path, TraceFormat::kJsonl);
  CHECK(jsonl(read_jsonl(path)) == jsonl(sample_trace()));
  std::filesystem::remove(path);
  const auto reason = [](const std::filesystem::path& unreadable) -> std::string {
    try {
      read_jsonl(unreadable);
    } catch (const InputError& error) {
      return error.what();
    }
    return "read";
  };
  CHECK(reason(path) == path.string() + ": No such file or directory");
  CHECK(reason(path.parent_path()) == path.parent_path().string() + ": not a file");
}
