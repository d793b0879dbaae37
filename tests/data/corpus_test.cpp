// The corpus of data=self: that it stays what it is, and what is said of a file that is not it.
#include "../../engine/data/corpus.h"

#include <fstream>
#include <iterator>

#include "byte_classifier.h"
#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/data/dataset.h"
#include "temp_tree.h"

namespace ringside {
namespace {

const std::string kFile = RINGSIDE_SOURCE_DIR "/assets/corpus/self.gz";
const std::string kHead =
    "ringside corpus 1\n"
    "commit 0123456789012345678901234567890123456789\n";

std::string packed_corpus() {
  std::ifstream stream(kFile, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string parse_rejection(const std::string& plain) {
  return message_of<InputError>([&] { parse_corpus(plain, "c.gz"); }, "accepted");
}

std::string file_rejection(const TempTree& project) {
  DataOptions options;
  options.source = "self";
  options.project = project.root();
  return message_of<InputError>([&] { load_dataset(options); }, "accepted");
}

bool has_part(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

// If this fails, the figures that people compare have changed: a new corpus is a new version's.
TEST_CASE("the default corpus does not drift", "[data]") {
  DataOptions options;
  options.source = "self";
  options.max_tokens = 48;
  const Dataset dataset = load_dataset(options);
  CHECK(dataset.sha256 == "0ab82dbdc076bd9bf169e284e96c20586a309d8bfc0250a97ddb0e7538303edb");
  CHECK(dataset.description == "self (this project at 5811a48): 711 files, 6 classes, one per language");
  CHECK(dataset.classes == std::vector<std::string>{"C++", "CMake", "JSON", "Markdown", "Python", "Shell"});
  CHECK(byte_classifier_accuracy(dataset) > dataset.majority_accuracy() + 0.1);
  options.seed = 5;
  CHECK(load_dataset(options).sha256 == dataset.sha256);
}

TEST_CASE("a corpus is a commit and its files", "[data]") {
  std::string plain = kHead + "files 2\n";
  for (const std::string name : {"a.cpp", "c.md"}) {
    const std::string text = "some text in " + name;
    plain += std::to_string(text.size()) + " " + name + "\n" + text;
  }
  const Corpus corpus = parse_corpus(plain, "c.gz");
  CHECK(corpus.commit == "0123456789012345678901234567890123456789");
  REQUIRE(corpus.files.size() == 2);
  CHECK(corpus.files.at("c.md").bytes == "some text in c.md");
}

TEST_CASE("a damaged corpus is refused with what is wrong", "[data]") {
  const std::string file = "5 a.cpp\nint a";
  CHECK(parse_rejection(kHead + "files 1\n" + file) == "accepted");
  CHECK(parse_rejection("") == "c.gz: is damaged at byte 0 of its text: a line has no end");
  CHECK(has_part(parse_rejection("ringside corpus 2\n"), "does not begin with 'ringside corpus 1'"));
  CHECK(has_part(parse_rejection("ringside corpus 1\n5811a48\n"), "'commit ' is missing"));
  CHECK(has_part(parse_rejection("ringside corpus 1\ncommit 5811a48\n"), "40 hexadecimal digits"));
  CHECK(has_part(parse_rejection(kHead + "files -1\n"), "a number is missing"));
  CHECK(has_part(parse_rejection(kHead + "files 1x\n"), "a number is missing"));
  CHECK(has_part(parse_rejection(kHead + "files 99999999999999999999\n"), "a number is missing"));
  CHECK(has_part(parse_rejection(kHead + "files 20001\n"), "20001 is more than the 20000"));
  CHECK(has_part(parse_rejection(kHead + "files 2\n" + file), "a line has no end"));
  CHECK(has_part(parse_rejection(kHead + "files 1\n" + file + "!"), "goes on after the last"));
  CHECK(has_part(parse_rejection(kHead + "files 1\n6 a.cpp\nint a"), "a.cpp is cut off"));
  CHECK(has_part(parse_rejection(kHead + "files 1\n1048577 a.cpp\n" + std::string(1048577, 'a')),
                 "1048577 is more than the 1048576"));
  CHECK(has_part(parse_rejection(kHead + "files 1\n5\nint a"), "a path is missing"));
  CHECK(has_part(parse_rejection(kHead + "files 1\n5 \nint a"), "a path is malformed"));
  CHECK(has_part(parse_rejection(kHead + "files 1\n5 a\x1b.cpp\nint a"), "a path is malformed"));
  CHECK(has_part(parse_rejection(kHead + "files 1\n5 a\xe9.cpp\nint a"), "a path is malformed"));
  CHECK(has_part(parse_rejection(kHead + "files 1\n5 " + std::string(1025, 'a') + "\nint a"),
                 "a path is malformed"));
  CHECK(has_part(parse_rejection(kHead + "files 2\n" + file + file), "a.cpp is out of order"));
  CHECK(has_part(parse_rejection(kHead + "files 1\n5 a.cpp\nint\xe9"
                                         "a"),
                 "a.cpp is no text"));
  CHECK(
      has_part(parse_rejection(kHead + "files 1\n5 a.cpp\n" + std::string("int\0a", 5)), "a.cpp is no text"));
  CHECK(has_part(parse_rejection(kHead + "files 1\n0 a.cpp\n"), "a.cpp is no text"));
}

TEST_CASE("wherever a corpus is cut off, it is refused", "[data]") {
  const std::string plain = kHead + "files 2\n5 a.cpp\nint a5 b.cpp\nint b";
  REQUIRE(parse_rejection(plain) == "accepted");
  for (size_t length = 0; length < plain.size(); ++length) {
    CHECK(has_part(parse_rejection(plain.substr(0, length)), "c.gz: is damaged at byte "));
  }
}

TEST_CASE("a damaged gzip stream is refused, and no more than the bound is unpacked", "[data]") {
  const std::string packed = packed_corpus();
  const std::string plain = gunzip(packed, kMaxCorpusPlainBytes, "c.gz");
  const auto refused = [](const std::string& bytes, size_t most) {
    return message_of<InputError>([&] { gunzip(bytes, most, "c.gz"); }, "accepted");
  };
  CHECK(refused(packed, plain.size()) == "accepted");
  CHECK(refused(packed, plain.size() - 1) == "c.gz: unpacks to more than 2,558,499 bytes");
  CHECK(refused("", 10) == "c.gz: is cut off");
  CHECK(has_part(refused("plain text", 10), "c.gz: is no gzip file, or damaged ("));
  CHECK(refused(packed + "?!", plain.size()) == "c.gz: 2 bytes follow the end of the gzip stream");
  for (const size_t kept :
       {size_t{1}, size_t{9}, size_t{10}, packed.size() / 2, packed.size() - 9, packed.size() - 1}) {
    CHECK(refused(packed.substr(0, kept), plain.size()) == "c.gz: is cut off");
  }
  for (size_t i = 1; i <= 16; ++i) {  // the checksum finds what the format does not
    std::string damaged = packed;
    damaged[i * (packed.size() / 16) - 1] ^= 0x10;
    CHECK(refused(damaged, kMaxCorpusPlainBytes) != "accepted");
  }
}

TEST_CASE("a corpus file that is missing, too long or damaged is named", "[data]") {
  const TempTree project;
  const std::string path = project.root() + "/assets/corpus/self.gz";
  const std::string what_to_do = "; assets/corpus/make.py writes it anew, data=tree does without";
  CHECK(file_rejection(project) == path + ": there is no such file" + what_to_do);
  project.write("assets/corpus/self.gz", std::string(1'000'001, '\0'));
  CHECK(file_rejection(project) == path + ": is longer than the 1,000,000 bytes that are read" + what_to_do);
  project.write("assets/corpus/self.gz", "");
  CHECK(file_rejection(project) == path + ": is cut off" + what_to_do);
  project.write("assets/corpus/self.gz", packed_corpus());
  CHECK(file_rejection(project) == "accepted");
}

}  // namespace ringside
