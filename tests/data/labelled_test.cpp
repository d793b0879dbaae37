#include "ringside/data/labelled.h"

#include <zlib.h>

#include <set>

#include "catch.h"
#include "check_text.h"
#include "counted_heap.h"
#include "random_cases.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

std::string packed(const std::string& plain) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string idx(uint8_t dimensions, std::initializer_list<uint32_t> sizes, const std::string& data) {
  std::string bytes{'\0', '\0', '\x08', static_cast<char>(dimensions)};
  for (const uint32_t size : sizes)
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift);
  return bytes + data;
}

struct Case {
  testing::TempFolder folder;
  Labelled read(const std::string& name, const std::string& bytes, LabelledSource source = {}) {
    folder.write(name, bytes);
    source.path = folder.file(name);
    return read_labelled(source);
  }
  std::string refused(const std::string& name, const std::string& bytes, const LabelledSource& source = {}) {
    return message_of<InputError>([&] { read(name, bytes, source); });
  }
};

const int kFlips = testing::random_cases(10'000);  // tests/fuzz looks at more

// "class: text|class: text"
std::string shown(const Labelled& labelled) {
  std::string all;
  for (const LabelledText& sample : labelled.samples)
    all += (all.empty() ? "" : "|") + labelled.classes.at(static_cast<size_t>(sample.label)) + ": " +
           std::string(sample.text);
  return all;
}

const std::string kCsv =
    "\xEF\xBB\xBFid,text,label\r\n1,\"a \"\"b\"\", c\nd\",good\r\n2,plain 5\" "
    "pipe,bad\r\n\r\n3,\"\",good\r\n";
const std::string kLines =
    "{\"text\": \"\\u00e9\\ud83d\\ude00 \\\"x\\\"\", \"label\": 10, \"more\": [1, {}]}\n\n"
    "{\"label\": 9, \"text\": \"b\"}\r\n{\"text\": \"\", \"label\": 10}";

}  // namespace

TEST_CASE("CSV and TSV: quotes, line ends within, CRLF, a byte-order mark, empty lines") {
  Case one;
  const Labelled read = one.read("a.csv", kCsv);
  CHECK(shown(read) == "good: a \"b\", c\nd|bad: plain 5\" pipe|good: ");
  CHECK((read.classes == std::vector<std::string>{"bad", "good"}));
  CHECK((read.notes == std::vector<std::string>{"1 text is empty"}));
  CHECK(shown(one.read("a.TSV", "label\tcontent\nx\ta,b\ny\t\"c\td\"", {.path = "", .text = "content"})) ==
        "x: a,b|y: c\td");
  CHECK(shown(one.read("b.csv", "text\n\"a\"\nb\n", {.path = "", .label = ""})) == ": a|: b");
  CHECK(shown(one.read("c.csv.gz", packed(kCsv))) == shown(read));
}

TEST_CASE("A row of a CSV that is refused is named, with its line") {
  Case one;
  const auto lacking = [&](const std::string& bytes, std::initializer_list<std::string> parts) {
    return lacks(one.refused("a.csv", bytes), parts);
  };
  CHECK(lacking("", {"a.csv", "empty"}) == "");
  CHECK(lacking("text,label\n", {"no text"}) == "");
  CHECK(lacking("text,class\na,b\n", {"no column 'label'", "text, class"}) == "");
  CHECK(lacking("text,label,label\na,b,c\n", {"'label' stands twice"}) == "");
  CHECK(lacking("text,label\n\"a\nb\",x\nc\n", {"row 2 (line 4)", "1 columns", "names 2"}) == "");
  CHECK(lacking("text,label\na,b,c\n", {"row 1 (line 2)", "3 columns", "comma", "quotes"}) == "");
  CHECK(lacking("text,label\na,x\n\"b\nc,x\n", {"row 2 (line 3)", "never closed"}) == "");
  CHECK(lacking("text,label\n\"a\" b,x\n", {"row 1 (line 2)", "closing quote"}) == "");
  CHECK(lacking("text,label\na,\n", {"row 1 (line 2)", "label is empty"}) == "");
  CHECK(lacking(std::string("text,label\na\0,x\n", 16), {"value 0"}) == "");
  LabelledSource small;
  small.limits.text_bytes = 3, small.limits.classes = 1;
  CHECK(lacks(one.refused("a.csv", "text,label\nabcd,x\n", small), {"row 1", "4 bytes", "allowed are 3"}) ==
        "");
  CHECK(lacks(one.refused("a.csv", "text,label\na,x\nb,y\n", small),
              {"row 2", "more than 1 classes", "'y'"}) == "");
  small.classes = {"p", "q"};
  CHECK(lacks(one.refused("a.csv", "text,label\na,q\nb,r\n", small), {"row 2", "'r' is none", "p, q"}) == "");
}

TEST_CASE("Labels that are not UTF-8, or look alike, and UTF-16 are refused; other columns are asked for") {
  Case one;
  CHECK(lacks(one.refused("a.csv", "text,label\na,\xBA\xC3\nb,\xBB\xB5\n"),
              {"row 1", "'\\xba\\xc3' is not UTF-8", "iconv -f gb18030"}) == "");
  CHECK(lacks(one.refused("a.csv", "text,label\na,x?\nb,x\x01\n"), {"'x\\x01' and 'x?'", "look alike"}) ==
        "");
  CHECK(lacks(one.refused("a.csv", std::string("\xFF\xFEt\0e\0", 6)), {"UTF-16", "iconv"}) == "");
  CHECK(lacks(one.refused("a.csv", "a,b\nx,y\n"), {"text_column=NAME", "label_column=NAME"}) == "");
  CHECK(lacks(one.refused("a.csv", "text;label\nx;y\n"), {"separated by commas"}) == "");
  CHECK(lacks(one.refused("a.jsonl", "{\"a\": 1}\n"), {"label_column=NAME"}) == "");
}

TEST_CASE("JSON Lines: escapes, whole numbers as labels in their order, other keys passed over") {
  Case one;
  const Labelled read = one.read("a.jsonl", kLines);
  CHECK(shown(read) == "10: \u00e9\U0001F600 \"x\"|9: b|10: ");
  CHECK((read.classes == std::vector<std::string>{"9", "10"}));
  CHECK(shown(one.read("a.jsonl.gz", packed(kLines))) == shown(read));
  const auto lacking = [&](const std::string& bytes, std::initializer_list<std::string> parts) {
    return lacks(one.refused("b.ndjson", bytes), parts);
  };
  const std::string good = "{\"text\":\"a\",\"label\":true}\n";
  CHECK(lacking(good + "\n{\"text\":\"a\"}\n",
                {"b.ndjson", "row 2 (line 3)", "no 'label'", "keys are text"}) == "");
  CHECK(lacking(good + "{\"text\":1.5,\"label\":1}", {"row 2", "'text' is neither"}) == "");
  CHECK(lacking(good + "{\"text\":\"a\",\"label\":1,\"label\":2}", {"'label' stands twice"}) == "");
  CHECK(lacking(good + "{\"text\":\"a\",", {"row 2", "not JSON"}) == "");
  CHECK(lacking(good + "{\"text\":\"\\ud800\",\"label\":1}", {"not JSON"}) == "");
  CHECK(lacking(good + "{\"text\":\"a\",\"label\":1," + std::string("\"d\":") + std::string(100, '['),
                {"deep"}) == "");
}

TEST_CASE("IDX: an image is its pixels' bytes, its label lies beside it") {
  Case one;
  const std::string images = idx(3, {3, 2, 2}, "abcdefghijk\xff"), labels = idx(1, {3}, {1, 0, 1});
  one.folder.write("t-labels-idx1-ubyte", labels);
  const Labelled read = one.read("t-images-idx3-ubyte", images);
  CHECK(shown(read) == "1: abcd|0: efgh|1: ijk\xff");
  CHECK((read.pixels && read.notes.empty()));
  one.folder.write("t-labels-idx1-ubyte.gz", packed(labels));
  CHECK(shown(one.read("t-images-idx3-ubyte.gz", packed(images))) == shown(read));
  const auto lacking = [&](const std::string& bytes, std::initializer_list<std::string> parts) {
    return lacks(one.refused("t-images-idx3-ubyte", bytes), parts);
  };
  CHECK(lacking(images + "x", {"t-images", "take 12 bytes, it has 13"}) == "");
  CHECK(lacking(images.substr(0, 20), {"take 12 bytes, it has 4"}) == "");
  CHECK(lacking(images.substr(0, 9), {"cut off"}) == "");
  CHECK(lacking(idx(2, {2, 2}, "abcd"), {"3 labels", "2 images"}) == "");
  CHECK(lacking(idx(9, {1, 1, 1, 1, 1, 1, 1, 1, 1}, "a"), {"9 dimensions"}) == "");
  CHECK(lacking(idx(3, {4'000'000'000u, 4'000'000'000u, 4'000'000'000u}, "a"), {"2^64"}) == "");
  CHECK(lacking(idx(2, {3, 0}, ""), {"no pixels"}) == "");
  std::string floats = images;
  floats[2] = 0x0d;
  CHECK(lacking(floats, {"0x0d", "read is 0x08"}) == "");
}

TEST_CASE("A folder's sub-folders are the classes; what is passed over is told") {
  Case one;
  for (const char* name : {"pos/1.txt", "pos/deep/2.txt", "neg/1.txt"}) one.folder.write(name, name);
  one.folder.write("README", "not a class"), one.folder.write("neg/2.txt", ""),
      one.folder.write("none/.x", "");
  const Labelled read = read_labelled({.path = one.folder.path.string()});
  CHECK(shown(read) == "neg: neg/1.txt|pos: pos/1.txt|pos: pos/deep/2.txt");
  std::string notes;
  for (const std::string& note : read.notes) notes += note + "\n";
  CHECK(lacks(notes, {"README", "sub-folder", "empty file (neg/2.txt)", "(none)"}) == "");
  const testing::TempFolder flat;
  flat.write("a.txt", "a");
  CHECK(lacks(message_of<InputError>([&] { read_labelled({.path = flat.path.string()}); }), {"sub-folder"}) ==
        "");
}

TEST_CASE("What the name does not say is asked for, and a file that unpacks to too much is refused") {
  Case one;
  one.folder.write("x.txt", "a");
  CHECK(lacks(message_of<UsageError>([&] { read_labelled({.path = one.folder.file("x.txt")}); }),
              {"x.txt", ".csv", ".jsonl", ".gz"}) == "");
  CHECK(lacks(message_of<InputError>([&] { read_labelled({.path = one.folder.file("none.csv")}); }),
              {"none.csv", "no such file"}) == "");
  const std::string bomb = packed("text,label\n" + std::string(20'000'000, 'a') + ",x\n");
  LabelledSource source;
  source.limits.bytes = 1'000'000;
  one.folder.write("bomb.csv.gz", bomb);
  source.path = one.folder.file("bomb.csv.gz");
  const int64_t before = testing::heap_bytes;
  testing::most_heap_bytes = before;
  const std::string message = message_of<InputError>([&] { read_labelled(source); });
  CHECK(lacks(message, {"bomb.csv.gz", "unpacks to more than 1,000,000 bytes"}) == "");
  CHECK(testing::most_heap_bytes - before <= 2 * std::ssize(bomb) + 1'000'000);
}

TEST_CASE("Each truncation and 10,000 flipped bytes: an InputError that names the file, or texts of it") {
  Case one;
  const std::string images = idx(3, {6, 2, 2}, "abcdefghijklmnopqrstuvwx");
  one.folder.write("t-labels-idx1-ubyte", idx(1, {6}, {1, 0, 1, 0, 1, 2}));
  RandomStream random(38, "flips");
  const std::pair<std::string, std::string> files[] = {
      {"a.csv", kCsv}, {"a.csv.gz", packed(kCsv)}, {"a.jsonl", kLines}, {"t-images-idx3-ubyte", images}};
  int64_t most = 0, refused = 0, right = 0;
  std::string wrong;
  const auto look = [&](const std::string& name, const std::string& bytes) {
    one.folder.write(name, bytes);
    const int64_t before = testing::heap_bytes;
    testing::most_heap_bytes = before;
    try {
      const Labelled read = read_labelled({.path = one.folder.file(name)});
      for (const LabelledText& sample : read.samples)
        if (sample.label < 0 || sample.label >= std::ssize(read.classes)) wrong = "a label of no class";
      ++right;
    } catch (const InputError& error) {
      ++refused;
      if (std::string(error.what()).find(name) == std::string::npos) wrong = error.what();
    }
    most = std::max<int64_t>(most, testing::most_heap_bytes - before);
  };
  for (const auto& [name, whole] : files) {
    for (size_t bytes = 0; bytes < whole.size(); ++bytes) look(name, whole.substr(0, bytes));
    for (int i = 0; i < kFlips / 4; ++i) {
      std::string bytes = whole;
      bytes[random.below(bytes.size())] ^= static_cast<char>(1 + random.below(255));
      look(name, bytes);
    }
  }
  CHECK(wrong == "");
  CHECK(most <= 1'000'000);
  CHECK((refused > kFlips / 10 && right > kFlips / 10));
}

TEST_CASE("Reading takes at most twice the file and 1 MB") {
  Case one;
  std::string csv = "text,label\n", lines;
  for (int i = 0; i < 40'000; ++i) {
    csv += "\"the text \"\"" + std::to_string(i) + "\"\", with quotes\"," + std::to_string(i % 7) + "\n";
    lines +=
        "{\"text\":\"the text " + std::to_string(i) + "\",\"label\":\"" + std::to_string(i % 7) + "\"}\n";
  }
  for (const auto& [name, bytes] : {std::pair{"a.csv", csv}, std::pair{"a.jsonl", lines}}) {
    one.folder.write(name, bytes);
    const int64_t before = testing::heap_bytes;
    testing::most_heap_bytes = before;
    CHECK(read_labelled({.path = one.folder.file(name)}).samples.size() == 40'000);
    CHECK(testing::most_heap_bytes - before <= 2 * std::ssize(bytes) + 1'000'000);
  }
}

namespace {

// `count` texts of each class.
Labelled texts_of(std::initializer_list<int> counts) {
  std::string csv = "text,label\n";
  for (int label = 0; const int count : counts) {
    for (int i = 0; i < count; ++i)
      csv += std::string(static_cast<size_t>(1 + i), static_cast<char>('a' + label)) + ",c" +
             std::to_string(label) + "\n";
    ++label;
  }
  return Case().read("a.csv", csv);
}

struct Nothing final : Tokenizer {  // no text has a token
  std::vector<int32_t> encode(std::string_view, int64_t) const override { return {}; }
  int64_t vocabulary() const override { return 8; }
  int32_t padding() const override { return 7; }
  std::string description() const override { return "nothing"; }
};

std::vector<int64_t> counts_of(const std::vector<Sample>& samples, size_t classes) {
  std::vector<int64_t> counts(classes);
  for (const Sample& sample : samples) ++counts[static_cast<size_t>(sample.label)];
  return counts;
}

}  // namespace

TEST_CASE("The held-out share is that of each class, drawn by the seed") {
  const Labelled all = texts_of({50, 10, 3, 1});
  const Dataset dataset = split(all, {.test_share = 0.2, .seed = 1}, byte_tokenizer());
  CHECK((counts_of(dataset.test, 4) == std::vector<int64_t>{10, 2, 1, 0}));
  CHECK((counts_of(dataset.train, 4) == std::vector<int64_t>{40, 8, 2, 1}));
  const Dataset small = split(all, {.test_share = 0.1}, byte_tokenizer());
  CHECK((counts_of(small.test, 4) == std::vector<int64_t>{5, 1, 1, 0}));  // one of 3, though 0.3 is less
  CHECK(dataset.sha256 == split(all, {.test_share = 0.2, .seed = 1}, byte_tokenizer()).sha256);
  CHECK(dataset.sha256 != split(all, {.test_share = 0.2, .seed = 2}, byte_tokenizer()).sha256);
  std::multiset<std::vector<int32_t>> texts;
  for (const auto* part : {&dataset.train, &dataset.test})
    for (const Sample& sample : *part) texts.insert(sample.tokens);
  CHECK((texts.size() == 64 && std::set(texts.begin(), texts.end()).size() == 64));  // each once
  CHECK(dataset.train[0].tokens.back() == kEndToken);
  for (const Sample& sample : split(all, {.max_tokens = 4}, byte_tokenizer()).train)
    CHECK((sample.tokens.size() <= 4 && sample.weight == 1));
}

TEST_CASE("Balanced class weights are n / (C n_c), and named ones are taken as they are") {
  const Labelled all = texts_of({40, 10});
  const Dataset balanced = split(all, {.test_share = 0.5, .balanced = true}, byte_tokenizer());
  double sum = 0;
  for (const Sample& sample : balanced.train) {
    CHECK(sample.weight == Approx(25.0 / (2 * (sample.label == 0 ? 20 : 5))));
    sum += sample.weight;
  }
  CHECK(sum == Approx(25));
  for (const Sample& sample : balanced.test) CHECK(sample.weight == 1);
  CHECK(balanced.sha256 != split(all, {.test_share = 0.5}, byte_tokenizer()).sha256);
  for (const Sample& sample : split(all, {.class_weights = {{"c1", 2.5}}}, byte_tokenizer()).train)
    CHECK(sample.weight == (sample.label == 1 ? 2.5f : 1.0f));
  CHECK(lacks(message_of<UsageError>([&] {
                split(all, {.class_weights = {{"c7", 1}}}, byte_tokenizer());
              }),
              {"c7", "no class"}) == "");
  CHECK_THROWS_AS(split(all, {.test_share = 1}, byte_tokenizer()), UsageError);
  CHECK_THROWS_AS(split(texts_of({5}), {}, byte_tokenizer()), InputError);
}

TEST_CASE("A second file is the held-out part; texts that stand in both are told") {
  Case one;
  const Labelled train = one.read("a.csv", "text,label\na,x\nb,y\nc,y\n");
  const Labelled test = one.read("b.csv", "text,label\nb,y\nq,y\n", {.path = "", .classes = train.classes});
  const Dataset dataset = split(train, test, {.pad_left = true, .by_length = true}, byte_tokenizer());
  CHECK((dataset.train.size() == 3 && dataset.test.size() == 2 && dataset.test[1].label == 1));
  CHECK((dataset.padding.left && dataset.by_length && dataset.vocabulary == kByteVocabulary));
  CHECK((dataset.notes == std::vector<std::string>{"1 of 2 held-out texts stands in the training part too"}));
  CHECK_THROWS_AS(split(train, one.read("c.csv", "text,label\nq,z\n"), {}, byte_tokenizer()), InputError);
  const Labelled renamed = one.read("d.csv", "text,label\nb,x\nq,z\n");  // as many classes, not the same
  CHECK_THROWS_AS(split(train, renamed, {}, byte_tokenizer()), InputError);
  const Labelled empty = one.read("e.csv", "text,label\n\"\",x\nq,y\n");
  CHECK((split(train, empty, {}, Nothing()).test[0].tokens == std::vector<int32_t>{7}));
}
