// Readers of files from outside, each handed mutated small files: it takes them, or throws the typed error
// that says why in a few lines, soon and without much memory; nothing else happens. AddressSanitizer looks on
// in ./check. An hour of one by hand: RINGSIDE_FUZZ_SECONDS=3600 fuzz_test "fuzz: csv"; RINGSIDE_FUZZ_SEED
// begins elsewhere.
#include <zlib.h>

#include <functional>

#include "catch.h"
#include "mutated.h"
#include "ringside/autopsy/diagnosis.h"
#include "ringside/base/error.h"
#include "ringside/base/sha256.h"
#include "ringside/checkpoint/manifest.h"
#include "ringside/data/labelled.h"
#include "ringside/flight/files.h"
#include "ringside/pretrained/lora.h"
#include "ringside/pretrained/pretrained.h"
#include "ringside/tokenizer/tokenizer_json.h"
#include "ringside/weights/weight_folder.h"
#include "temp_folder.h"
#ifdef RINGSIDE_HAS_TOML
#include "toml_words.h"
#endif

using namespace ringside;
using namespace std::string_literals;

namespace {

constexpr auto kSecond = std::chrono::seconds(1);
constexpr size_t kMostMessage = 2000;

// What one file leads to; "": all is well.
std::string outcome(const std::function<void(const std::string&)>& read, const std::string& bytes,
                    int64_t& taken) {
  const auto start = std::chrono::steady_clock::now();
  std::string wrong;
  try {
    read(bytes);
    ++taken;
  } catch (const Error& error) {
    const bool typed = error.code() == ExitCode::kInput || error.code() == ExitCode::kCheckpoint;
    if (!typed) wrong = std::string("an error of another kind: ") + error.what();
    if (std::string(error.what()).size() > kMostMessage) wrong = "a message of over 2,000 bytes";
  } catch (const std::exception& error) {
    wrong = std::string("another error: ") + error.what();
  }
  if (std::chrono::steady_clock::now() - start > 20 * kSecond) wrong = "it took over 20 s";
  return wrong;
}

// Each file as it is has to be taken. What is wrong is left in a file of the temporary folder.
void fuzz(const std::string& name, const std::vector<std::string>& seeds,
          const std::function<void(const std::string&)>& read) {
  int64_t taken = 0, files = 0;
  REQUIRE_NOTHROW(read(seeds.front()));  // others may be of a kind that is refused
  const auto end = std::chrono::steady_clock::now() + testing::fuzz_time();
  for (auto seed = static_cast<uint64_t>(testing::from_environment("RINGSIDE_FUZZ_SEED", 0));
       std::chrono::steady_clock::now() < end; ++seed, ++files) {
    RandomStream random(seed, name);
    const std::string bytes = testing::mutated(seeds[random.below(seeds.size())], random);
    const std::string wrong = outcome(read, bytes, taken);
    if (wrong.empty()) continue;
    const auto left = std::filesystem::temp_directory_path() / ("ringside-fuzz-" + name);
    std::ofstream(left, std::ios::binary) << bytes;
    FAIL(wrong << "; RINGSIDE_FUZZ_SEED=" << seed << ", the file: " << left.string());
  }
  UNSCOPED_INFO(name << ": " << files << " files, " << taken << " taken");
  if (std::getenv("RINGSIDE_FUZZ_SECONDS") != nullptr)
    WARN(name << ": " << files << " files, " << taken << " taken");
  CHECK(files > 0);
}

// A reader of paths, as one of bytes.
template <typename Read>
auto from_file(const testing::TempFolder& folder, const std::string& name, const Read& read) {
  return [&folder, name, read](const std::string& bytes) {
    folder.write(name, bytes);
    read(folder.file(name));
  };
}
void read_all_labelled(const std::string& path) {
  size_t bytes = 0;
  const Labelled labelled = read_labelled({.path = path});
  for (const LabelledText& text : labelled.samples)
    bytes += text.text.size() + labelled.classes.at(static_cast<size_t>(text.label)).size();
  CHECK(bytes < 1'000'000'000);
}

std::string safetensors(const std::string& header, size_t data) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return file + header + std::string(data, 'x');
}
const std::string kWeights = safetensors(
    R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
    R"("b":{"dtype":"BF16","shape":[4],"data_offsets":[16,24]},"none":{"dtype":"I64","shape":[0,3],"data_offsets":[24,24]}})",
    24);

std::string gzip_of(const std::string& plain) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

const std::string kImages(
    "\0\0\x08\x03\0\0\0\x03\0\0\0\x02\0\0\0\x02"
    "abcdefghijkl",
    28);
const std::string kLabels("\0\0\x08\x01\0\0\0\x03\x01\0\x02", 11);

}  // namespace

TEST_CASE("fuzz: safetensors") {
  const testing::TempFolder folder;
  fuzz("safetensors", {kWeights}, from_file(folder, "x.safetensors", [](const std::string& path) {
         const SafetensorsFile file(path);
         for (const WeightTensor& tensor : file.tensors())
           for (const std::byte byte : tensor.bytes) CHECK((byte == std::byte{'x'} || true));
       }));
}

TEST_CASE("fuzz: index of safetensors") {
  const testing::TempFolder folder;
  folder.write("model-1.safetensors", kWeights);
  folder.write("model-2.safetensors",
               safetensors(R"({"c":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1));
  const std::string index =
      R"({"metadata":{"total_size":25},"weight_map":{"a":"model-1.safetensors","b":"model-1.safetensors",)"
      R"("none":"model-1.safetensors","c":"model-2.safetensors"}})";
  fuzz("index", {index}, from_file(folder, "model.safetensors.index.json", [&](const std::string&) {
         const WeightFolder weights(folder.path);
       }));
}

TEST_CASE("fuzz: config.json") {
  const std::string qwen2 =
      R"({"architectures": ["Qwen2ForSequenceClassification"], "model_type": "qwen2", "vocab_size": 9,
      "hidden_size": 8, "intermediate_size": 6, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1,
      "id2label": {"0": "good", "1": "bad"}, "pad_token_id": 3, "rms_norm_eps": 1e-6,
      "rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 1000000.0}})";
  const std::string llama =
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 9, "hidden_size": 8,
      "intermediate_size": 6, "num_hidden_layers": 1, "num_attention_heads": 2, "eos_token_id": [7, 8], "rope_theta": 500.0})";
  fuzz("config", {qwen2, llama}, [](const std::string& json) {
    const PretrainedConfig config = parse_pretrained_config(json, "config.json");
    parse_pretrained_config(pretrained_json(config), "again");
  });
}

TEST_CASE("fuzz: tokenizer.json") {
  std::vector<std::string> seeds;
  for (const char* name : {"gpt2", "llama3", "qwen2"}) {
    std::ostringstream text;
    text << std::ifstream(std::string(RINGSIDE_TINY_TOKENIZERS) + "/" + name + ".json").rdbuf();
    seeds.push_back(text.str());
  }
  fuzz("tokenizer", seeds, [](const std::string& json) {
    const auto tokenizer = parse_tokenizer(json, "tokenizer.json");
    for (const int32_t id : tokenizer->encode("It's 123 \xE6\xA8\xA1 <|endoftext|>\n\xff", 100))
      if (id < 0 || id >= kMostTokens) throw std::logic_error("an id that is out of range");
  });
}

TEST_CASE("fuzz: text of a tokenizer") {
  std::ostringstream json;
  json << std::ifstream(std::string(RINGSIDE_TINY_TOKENIZERS) + "/qwen2.json").rdbuf();
  const auto tokenizer = parse_tokenizer(json.str(), "tokenizer.json");
  int64_t texts = 0;
  fuzz("text",
       {"It's 12345 na\u00efve \u6a21\u578b \U0001F469\u200d\U0001F4BB!\r\n\t  WE'LL e\u0301 <tool>s"},
       [&](const std::string& text) {
         const auto ids = tokenizer->encode(text, 50);
         if (++texts % 1000 == 0) throw InputError("to count as refused");
         if (ids.size() > 50) throw std::logic_error("more tokens than were asked for");
       });
}

TEST_CASE("fuzz: idx") {
  const testing::TempFolder folder;
  folder.write("t-labels-idx1-ubyte", kLabels);
  fuzz("idx", {kImages}, from_file(folder, "t-images-idx3-ubyte", read_all_labelled));
}

TEST_CASE("fuzz: labels of idx") {
  const testing::TempFolder folder;
  folder.write("t-images-idx3-ubyte", kImages);
  fuzz("labels", {kLabels, std::string("\0\0\x08\x01\0\0\0\x02\x01\0", 10)},
       from_file(folder, "t-labels-idx1-ubyte",
                 [&](const std::string&) { read_all_labelled(folder.file("t-images-idx3-ubyte")); }));
}

TEST_CASE("fuzz: idx.gz") {
  const testing::TempFolder folder;
  folder.write("t-labels-idx1-ubyte.gz", gzip_of(kLabels));
  fuzz("idx.gz", {gzip_of(kImages)}, from_file(folder, "t-images-idx3-ubyte.gz", read_all_labelled));
}

TEST_CASE("fuzz: csv") {
  const testing::TempFolder folder;
  fuzz("csv",
       {"\xEF\xBB\xBFid,text,label\r\n1,\"a \"\"b\"\", c\nd\",good\r\n2,plain 5\" "
        "pipe,bad\r\n\r\n3,\"\",good\r\n",
        "text,label\na,1\nb,2\n"},
       from_file(folder, "a.csv", read_all_labelled));
}

TEST_CASE("fuzz: jsonl") {
  const testing::TempFolder folder;
  fuzz("jsonl",
       {"{\"text\": \"\\u00e9\\ud83d\\ude00 \\\"x\\\"\", \"label\": 10, \"more\": [1, {}]}\n\n{\"label\": 9, "
        "\"text\": \"b\"}\r\n"},
       from_file(folder, "a.jsonl", read_all_labelled));
}

TEST_CASE("fuzz: manifest of a checkpoint, the hash of which fits") {
  Manifest manifest;
  manifest.step = 7, manifest.ranks = 2, manifest.run = {{"mesh", "dp2"}}, manifest.needs = {{"seed", "1"}};
  manifest.files = {{"rank-0.bin", 96, std::string(64, '0')}, {"rank-1.bin", 96, std::string(64, 'a')}};
  manifest.tensors = {{"w", "master", Dtype::kFloat32, {8, 6}}};
  manifest.pieces = {{0, 0, 0, 96, {{0, 24, 0, 1}}}, {0, 1, 0, 96, {{24, 6, 6, 4}}}};
  const std::string whole = to_text(manifest), body = whole.substr(0, whole.size() - 64 - 14);
  fuzz("manifest", {body}, [](const std::string& text) {
    Sha256 hash;
    hash.update(text);
    const Manifest read = read_manifest(text + ",\"sha256\":\"" + hash.hex() + "\"}\n", "manifest.json");
    read_manifest(to_text(read), "again");
  });
}
TEST_CASE("fuzz: LoRA adapter") {
  const testing::TempFolder folder;
  const std::string config =
      R"({"peft_type":"LORA","r":2,"lora_alpha":6.5,"bias":"none","use_dora":false,"rank_pattern":{},)"
      R"("init_lora_weights":true,"base_model_name_or_path":"base"})";
  const std::string weights = safetensors(
      R"({"base_model.model.q.lora_A.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("base_model.model.q.lora_B.weight":{"dtype":"BF16","shape":[4,2],"data_offsets":[24,40]},)"
      R"("base_model.model.score.weight":{"dtype":"U8","shape":[2],"data_offsets":[40,42]}})",
      42);
  fuzz("adapter", {config, weights}, [&](const std::string& bytes) {
    const bool is_config = bytes.starts_with('{');
    folder.write("adapter_config.json", is_config ? bytes : config);
    folder.write("adapter_model.safetensors", is_config ? weights : bytes);
    const LoraAdapter adapter(folder.path);
    std::vector<float> values(12);
    const int64_t shape[] = {4, 3};
    if (adapter.changes("q.weight")) adapter.add_to("q.weight", shape, values);
  });
}

TEST_CASE("fuzz: pickle of a flight recorder") {
  FlightDump dump{.rank = 1, .groups = {{"dp", "default_pg", {0, 1}}}, .entries = {}, .forgotten = 0};
  for (int64_t i = 0; i < 3; ++i)
    dump.entries.push_back(
        {.record_id = i, .group = "dp", .collective_seq_id = i, .op = Op::kAllReduce, .elements_in = 1 << i});
  // Protocol 4, with a value that is kept and used again.
  const std::string shared =
      "\x80\x04\x95\x20\0\0\0\0\0\0\0}\x94(\x8c\x07version\x94\x8c\x03"
      "2.4\x94\x8c\tpg_config\x94}\x94\x8c\x07"
      "entries\x94]\x94(h\x02h\x02\x86\x94h\x07\x8f(K\x01I01\nG\x3f\xf0\0\0\0\0\0\0\x90\x8a\x02\xff\x7f"
      "e\x8c\x01x2\x30Nu."s;
  const std::string first_version =
      "\x80\x02}(\x8c\x07"
      "entries](}(\x8c\trecord_idK\x07\x8c\x05pg_idK\x00\x8c\x06seq_idK\x09\x8c\x0eprofiling_name\x8c\x0f"
      "nccl:all_reduce\x8c\x0ftime_created_nsK\x05\x8c\x0binput_sizes](](K\x02K\x03"
      "ee\x8c\x0coutput_sizes]\x8c\x05state\x8c\x07"
      "startedue\x8c\x07version\x8c\x03"
      "1.4\x8c\tpg_config}(K\x00](K\x00K\x01"
      "euu."s;
  REQUIRE(parse_flight_dump(first_version, "a dump", 1).entries.size() == 1);
  fuzz("pickle", {flight_pickle(dump), shared, flight_json(dump), first_version},
       [](const std::string& bytes) {
         const FlightDump read = parse_flight_dump(bytes, "a dump", 1);
         diagnose(Log{}, {read}, {});
       });
}

TEST_CASE("fuzz: log of a job") {
  const std::string log =
      "[default3]:[rank3]: Traceback (most recent call last):\n[default3]:[rank3]:   File \"/a/b.py\", line "
      "12, in f\n"
      "[default3]:[rank3]: torch.OutOfMemoryError: CUDA out of memory.\n\x1b[36m(W pid=4)\x1b[0m 7: srun: "
      "error: n1: task 3: "
      "Killed\r\n  1%|#| 2/9\r[rank1]:[E ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective "
      "operation timeout: "
      "WorkNCCL(SeqNum=5, OpType=_ALLGATHER_BASE, NumelIn=8, Numel\nOut=32, Timeout(ms)=600000) ran for "
      "600013 milliseconds\n"
      "[rank1]:[E] [PG ID 0 PG GUID 0(default_pg) Rank 1] Timeout at NCCL work: 5, last enqueued NCCL work: "
      "9, last completed "
      "NCCL work: 4.\nRank 0 is running: Detected mismatch between collectives on ranks. Rank 1 is running "
      "collective: "
      "CollectiveFingerPrint(SequenceNumber=4, OpType=REDUCE, TensorShape=[2, 5]), but Rank 0 is running "
      "collective: REDUCE.\n"
      " [7, 8] finished collective #182, but didn't join collective #183\n  rank      : 3 (local_rank: 1)\n  "
      "exitcode  : -9 "
      "(pid: 7)\nThread 0x7f (most recent call first):\n  File \"x.py\", line 3, in g\n[0] is setting up "
      "NCCL communicator, "
      "retrieving from [0] by key '0', but store->get('0') got error\nnode:1:2 [0] NCCL WARN Duplicate GPU "
      "detected : rank 1 "
      "and rank 0\n+ torchrun --nnodes 2 \\\n --nproc-per-node 8 a.py --ddp_timeout 60\n2024-11-26 "
      "02:11:56,5 mpirun noticed that "
      "process rank 3 with PID 0 on node n exited on signal 9 (Killed).\n  Process name: [[34567,1],5]\n  "
      "Exit code:    1\n"
      "[E1126 02:11:56.5 x] UCC  WARN  timeout 600 sec has expired on task 0x5, seq_num 12, rank 2: "
      "Allreduce\nzero_config stage=2 "
      "reduce_bucket_size=5\n 12%|#| 118/1000 [29:55<4:48:08, 61.2s/it]\niteration 12/ 50\n{'loss': 1, "
      "'epoch': 0.1}\nstep=5\n";
  const std::string
      deepspeed = R"({"zero_optimization": {"stage": 2, "reduce_bucket_size": 2e8}, "ddp_timeout": 60})",
      accelerate = "compute_environment: X\nnum_machines: 2\nfsdp_config:\n  fsdp_sharding_strategy: 1\n",
      script = "#!/bin/sh\nN=8\nsrun torchrun --nnodes $N \\\n  --nproc-per-node=${N} a.py\n";
  const testing::TempFolder folder;
  int64_t logs = 0;
  fuzz("log", {log, log, log, deepspeed, accelerate, script}, [&](const std::string& text) {
    if (text.starts_with('{') || text.starts_with('#') || text.starts_with('c')) {
      JobSettings settings;
      folder.write("settings", text);
      if (!add_settings_file(folder.file("settings"), settings)) throw InputError("it is none");
      return;
    }
    const Diagnosis diagnosis = autopsy(text);
    if (diagnosis.first.empty()) throw std::logic_error("nothing is said");
    const std::string all =
        diagnosis_text(diagnosis) + diagnosis_markdown(diagnosis) + diagnosis_json(diagnosis);
    if (logs % 50 == 0) redacted(all);
    if (++logs % 1000 == 0) throw InputError("to count as refused");
  });
}

#ifdef RINGSIDE_HAS_TOML
TEST_CASE("fuzz: settings of a training") {
  const testing::TempFolder folder;
  const std::string all = toml_of(train_config({}), true),
                    few = "[data]\ndata = \"a.csv\"\n[training]\nbatch = 16\nlearning_rate = 1e-3\n";
  fuzz("toml", {few, all},
       from_file(folder, "my.toml", [](const std::string& path) { train_config(read_toml(path)); }));
}
#endif
