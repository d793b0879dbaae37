#include "catch.h"
#include "check_text.h"
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
  return message_of<InputError>([&] { read(text, limits); }, "accepted");
}

const std::string kHeader = "{\"ringside_trace\":2,\"scenario\":\"s\"}\n";
const std::string kSection = "{\"type\":\"section\",\"name\":\"a\",\"ranks\":1,\"attributes\":{}}\n";
std::string note(const std::string& section, const std::string& rank, const std::string& step) {
  return "{\"type\":\"note\",\"section\":" + section + ",\"rank\":" + rank +
         ",\"name\":\"n\",\"unit\":\"\",\"step\":" + step + ",\"time_ns\":5}\n";
}

}  // namespace

TEST_CASE("each kind of record has its line in a file, with every field") {
  const std::string text = jsonl(sample_trace());
  for (const char* line :
       {R"({"ringside_trace":3,"scenario":"zero ranks=2 stage=all"})",
        R"({"type":"section","name":"stage 1","ranks":2,"attributes":{"kept":true,"precision":"bf16",)"
        R"("psi":1048576,"share":0.25}})",
        R"({"type":"rank","section":1,"rank":0,"began_ns":5000000000120,"ended_ns":5000000005123})",
        R"({"type":"collective","section":0,"rank":1,"op":"reduce_scatter","collective_seq_id":41,)"
        R"("state":"completed","group":"dp","tag":"gradients","unit":"bucket 3","peer":2,)"
        R"("dtype":"bfloat16","elements":1001,"bytes_in":2002,"bytes_sent":1503,)"
        R"("time_created_ns":5000000000134,"time_started_ns":5000000002124,)"
        R"("time_completed_ns":5000000003124})",
        R"({"type":"memory","section":0,"rank":1,"time_ns":5000000000129,"category":"optimizer",)"
        R"("delta_bytes":-64,"live_bytes":128,"peak_bytes":192,"total_bytes":256,"storage":31,)"
        R"("unit":"layer 2","tensor":"model.norm.weight"})",
        R"({"type":"span","section":0,"rank":1,"name":"forward \"quoted\"\n\\","unit":"layer µ",)"
        R"("step":7,"start_ns":5000000000124,"end_ns":5000000004124})",
        R"({"type":"scalar","section":0,"rank":1,"name":"loss","step":8,"value":0.1,)"
        R"("time_ns":5000000000130})",
        R"({"type":"scalar","section":1,"rank":0,"name":"loss","step":0,"value":"nan","time_ns":0})",
        R"({"type":"scalar","section":1,"rank":0,"name":"loss","step":0,"value":"-inf","time_ns":0})",
        R"({"type":"note","section":0,"rank":1,"name":"step entry","unit":"u","step":9,)"
        R"("time_ns":5000000000131})",
        R"({"type":"message","section":1,"rank":0,"id":17,"state":"received again","tag":"push",)"
        R"("from":0,"to":0,"bytes":400,"first_key":200,"keys":100,"time_sent_ns":5000000000143,)"
        R"("time_received_ns":5000000001643})",
        R"({"type":"message","section":1,"rank":0,"id":18,"state":"lost","tag":"","from":0,"to":0,)"
        R"("bytes":0,"first_key":0,"keys":0,"time_sent_ns":5000000000153,"time_received_ns":0})",
        R"({"type":"table","name":"storage","columns":[{"name":"tensor","kind":"text","unit":""},)"
        R"({"name":"offset","kind":"integer","unit":"bytes"},{"name":"share","kind":"number",)"
        R"("unit":"%"},{"name":"is view","kind":"boolean","unit":""}]})",
        R"({"type":"row","section":1,"rank":0,"table":"storage","time_ns":5000000000131,)"
        R"("values":["x \"1\"",4096,2,true]})",
        R"({"type":"row","section":1,"rank":0,"table":"storage","time_ns":5000000000132,"values":["",)"
        R"(-1,"inf",false]})",
        R"({"type":"prediction","id":"p1","question":"How much?","answer":16.5,"unit":"bytes",)"
        R"("wrong":[{"name":"forgot the fp32 master copy","value":12}]})",
        R"({"type":"prediction","id":"p2","question":"Which order?","answer":"nan","unit":"",)"
        R"("wrong":[{"name":"backwards","value":"nan","words":["second \"2\"","Ψ"]}],"words":["Ψ",)"
        R"("second \"2\""]})",
        R"({"type":"claim","id":"c1","source":"ZeRO, 7.2","statement":"stage 2 costs 2Ψ",)"
        R"("verdict":"partly","evidence":"1.50 Ψ"})",
        R"({"type":"ledger","what":"traffic","section":"stage 2","rank":1,"category":"gradients",)"
        R"("at":"","op":"reduce_scatter","predicted":100,"counted":104,"reasons":[{"name":"padding",)"
        R"("bytes":4}]})",
        R"({"type":"ledger","what":"memory","section":"stage 2","rank":0,"category":"activations",)"
        R"("at":"step entry","op":"","predicted":null,"counted":77,"reasons":[]})",
        R"({"type":"outcome","name":"final_loss","value":0.25})",
        R"({"type":"outcome","name":"tiny","value":5e-324})",
        R"({"type":"outcome_text","name":"parameters_sha256","value":"e3b0"})",
        R"({"type":"line","text":"N = 4"})",
        R"({"type":"line","text":""})",
        R"({"type":"end","complete":true})"})
    CHECK(lacks(text, {line + std::string("\n")}) == "");
}

TEST_CASE("what was read is written again byte for byte") {
  const std::string text = jsonl(sample_trace());
  const Trace trace = read(text);
  CHECK(jsonl(trace) == text);
  CHECK(trace.complete());
  CHECK(trace.find("stage 1")->integer("psi") == 1048576);
  CHECK(trace.find("stage 1")->memory_pyramid(1, Category::kOptimizer).range(0, 1)->max == 128);
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

TEST_CASE("a message is between ranks of its section, whose coming and going is told once") {
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

TEST_CASE("a device that fails is named with its line; attributes of version 1 are what they say") {
  struct Broken : std::streambuf {
    std::string text = kHeader;
    Broken() { setg(text.data(), text.data(), text.data() + text.size()); }
    int_type underflow() override { throw std::ios_base::failure("gone"); }
  } broken;
  std::istream in(&broken);
  CHECK_THROWS_WITH(read_jsonl(in, "t.jsonl"), "t.jsonl:2: cannot be read further");
  std::istream none(nullptr);
  CHECK_THROWS_WITH(read_jsonl(none, "t.jsonl"), "t.jsonl:0: cannot be read further");
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

TEST_CASE("an attribute is text, a number or a flag, and what a file asks for is bounded", "[one_thread]") {
  const auto with = [](const std::string& value) {
    return kHeader + "{\"type\":\"section\",\"name\":\"a\",\"ranks\":1,\"attributes\":{\"x\":" + value +
           "}}\n";
  };
  for (const char* value : {"\"\"", "-3", "0.5", "1e300", "true", "false"})
    CHECK(rejection(with(value)) == "accepted");
  for (const char* value : {"null", "[]", "{}"})
    CHECK(rejection(with(value)) == "t.jsonl:2: attribute 'x': neither text, a number, nor true or false");
  CHECK(rejection(with("18446744073709551615")).find("is outside") != std::string::npos);
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
  for (size_t at = 0; at < text.size(); ++at) {
    std::string doctored = text;
    doctored[at] = static_cast<char>(doctored[at] ^ (at % 2 == 0 ? '\x01' : '\x10'));
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
  const auto reason = [](const std::filesystem::path& unreadable) {
    return message_of<InputError>([&] { read_jsonl(unreadable); });
  };
  CHECK(reason(path) == path.string() + ": No such file or directory");
  CHECK(reason(path.parent_path()) == path.parent_path().string() + ": not a file");
}
