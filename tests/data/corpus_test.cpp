// The corpus of data=self: that it stays what it is, and what is said of a file that is not it.
#include <sys/stat.h>
#include <unistd.h>

#include "../../engine/data/corpus.h"
#include "../../engine/data/text_file.h"
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

// Everything that may be wrong with a folder: a counted skip, or an InputError
// that names it and what to do.
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

Names notes_of(const TempTree& tree) {
  const Dataset dataset = read_folder(tree.root(), DataOptions{});
  CHECK(dataset.classes == Names{"cats", "dogs"});
  return dataset.notes;
}

// The message of the InputError that reading the folder ends with.
std::string rejection(const std::string& path) {
  return message_of<InputError>([&] { read_folder(path, DataOptions{}); }, "accepted");
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

// If this fails, the figures that people compare have changed: a new corpus is a new version's.
TEST_CASE("the default corpus does not drift; a corpus is a commit and its files", "[data]") {
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

TEST_CASE("a damaged corpus is refused with what is wrong, wherever it is cut off", "[data]") {
  const std::string file = "5 a.cpp\nint a";
  CHECK(parse_rejection(kHead + "files 1\n" + file) == "accepted");
  CHECK(parse_rejection("") == "c.gz: is damaged at byte 0 of its text: a line has no end");
  CHECK(contains(parse_rejection("ringside corpus 2\n"), "does not begin with 'ringside corpus 1'"));
  CHECK(contains(parse_rejection("ringside corpus 1\n5811a48\n"), "'commit ' is missing"));
  CHECK(contains(parse_rejection("ringside corpus 1\ncommit 5811a48\n"), "40 hexadecimal digits"));
  CHECK(contains(parse_rejection(kHead + "files -1\n"), "a number is missing"));
  CHECK(contains(parse_rejection(kHead + "files 1x\n"), "a number is missing"));
  CHECK(contains(parse_rejection(kHead + "files 99999999999999999999\n"), "a number is missing"));
  CHECK(contains(parse_rejection(kHead + "files 20001\n"), "20001 is more than the 20000"));
  CHECK(contains(parse_rejection(kHead + "files 2\n" + file), "a line has no end"));
  CHECK(contains(parse_rejection(kHead + "files 1\n" + file + "!"), "goes on after the last"));
  CHECK(contains(parse_rejection(kHead + "files 1\n6 a.cpp\nint a"), "a.cpp is cut off"));
  CHECK(contains(parse_rejection(kHead + "files 1\n1048577 a.cpp\n" + std::string(1048577, 'a')),
                 "1048577 is more than the 1048576"));
  CHECK(contains(parse_rejection(kHead + "files 1\n5\nint a"), "a path is missing"));
  CHECK(contains(parse_rejection(kHead + "files 1\n5 \nint a"), "a path is malformed"));
  CHECK(contains(parse_rejection(kHead + "files 1\n5 a\x1b.cpp\nint a"), "a path is malformed"));
  CHECK(contains(parse_rejection(kHead + "files 1\n5 a\xe9.cpp\nint a"), "a path is malformed"));
  CHECK(contains(parse_rejection(kHead + "files 1\n5 " + std::string(1025, 'a') + "\nint a"),
                 "a path is malformed"));
  CHECK(contains(parse_rejection(kHead + "files 2\n" + file + file), "a.cpp is out of order"));
  CHECK(contains(parse_rejection(kHead + "files 1\n5 a.cpp\nint\xe9"
                                         "a"),
                 "a.cpp is no text"));
  CHECK(
      contains(parse_rejection(kHead + "files 1\n5 a.cpp\n" + std::string("int\0a", 5)), "a.cpp is no text"));
  CHECK(contains(parse_rejection(kHead + "files 1\n0 a.cpp\n"), "a.cpp is no text"));
  const std::string plain = kHead + "files 2\n5 a.cpp\nint a5 b.cpp\nint b";
  REQUIRE(parse_rejection(plain) == "accepted");
  for (size_t length = 0; length < plain.size(); ++length)
    CHECK(contains(parse_rejection(plain.substr(0, length)), "c.gz: is damaged at byte "));
}

TEST_CASE("a damaged gzip stream is refused, and one that unpacks to too much; the file is named", "[data]") {
  const std::string packed = packed_corpus();
  const std::string plain = gunzip(packed, kMaxCorpusPlainBytes, "c.gz");
  const auto refused = [](const std::string& bytes, size_t most) {
    return message_of<InputError>([&] { gunzip(bytes, most, "c.gz"); }, "accepted");
  };
  CHECK(refused(packed, plain.size()) == "accepted");
  CHECK(refused(packed, plain.size() - 1) == "c.gz: unpacks to more than 2,558,499 bytes");
  CHECK(refused("", 10) == "c.gz: is cut off");
  CHECK(contains(refused("plain text", 10), "c.gz: is no gzip file, or damaged ("));
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

TEST_CASE("what is no text, hidden, a link or a pipe is left out, and counted by name", "[data]") {
  const TempTree tree;
  write_two_classes(tree);
  tree.write("cats/a.png", std::string("\x89PNG\0\0", 6));
  tree.write("dogs/b.o", std::string("text, and then\0", 15));
  tree.write("dogs/empty.txt", "");
  for (const std::string name : {".git", "build", "build-debug", "node_modules", "cats/__pycache__"})
    tree.write_class(name, 2, "not to be read ");
  tree.write("cats/.hidden", "not to be read");
  fs::create_directory_symlink(tree.root(), tree.path("cats/loop"));  // which would not end
  fs::create_symlink("nowhere", tree.path("cats/dangling"));
  fs::create_symlink("0.txt", tree.path("cats/twice.txt"));
  REQUIRE(mkfifo(tree.path("dogs/pipe").c_str(), 0600) == 0);
  tree.write("cats/good.txt", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x88");
  tree.write("cats/latin1.txt", "caf\xe9 au lait");
  tree.write("dogs/overlong.txt", "\xc0\xaf is a slash");
  CHECK(notes_of(tree) ==
        Names{"set aside 6 hidden or build entries (.git, build, build-debug, ...)",
              "skipped 3 symbolic links (cats/dangling, cats/loop, cats/twice.txt)",
              "skipped 1 entry that is no file (dogs/pipe)", "skipped 1 empty file (dogs/empty.txt)",
              "skipped 2 binary files (cats/a.png, dogs/b.o)",
              "kept the bytes of 2 files that are not valid UTF-8 (cats/latin1.txt, dogs/overlong.txt)"});
}

TEST_CASE("of a huge file only the beginning is read; a character that this cuts is valid", "[data]") {
  const TempTree tree;
  write_two_classes(tree);
  std::string bytes;
  while (bytes.size() < (size_t{1} << 20)) bytes += "twelve bytes";
  tree.write("dogs/huge.txt", bytes + std::string(10, '\0'));  // it would be binary if it were read on
  const Names notes = notes_of(tree);
  REQUIRE(notes.size() == 2);  // and that not all windows are kept
  CHECK(notes[0] == "read only the first MiB of 1 huge file (dogs/huge.txt)");
  const TempTree cut;
  write_two_classes(cut);
  const std::string almost((size_t{1} << 20) - 1, 'x');
  cut.write("cats/cut.txt", almost + "\xc3\xa9");
  cut.write("dogs/broken.txt", "\xc3" + almost + "\xc3\xa9");
  const Names of_cut = notes_of(cut);
  REQUIRE(of_cut.size() == 3);
  CHECK(of_cut[0] == "read only the first MiB of 2 huge files (cats/cut.txt, dogs/broken.txt)");
  CHECK(of_cut[1] == "kept the bytes of 1 file that is not valid UTF-8 (dogs/broken.txt)");
}

TEST_CASE("names are made fit to print; a class that cannot be used is dropped", "[data]") {
  const TempTree tree;
  tree.write_class("caf\xe9", 2, "text ");
  tree.write_class("red\x1b[31m", 2, "words ");
  tree.write("red\x1b[31m/\xc2\x9b.txt", "");
  const Dataset dataset = read_folder(tree.root(), DataOptions{});
  CHECK(dataset.classes == Names{"caf?", "red?[31m"});
  CHECK(dataset.notes == Names{"skipped 1 empty file (red?[31m/?.txt)"});
  const TempTree unusable;
  write_two_classes(unusable);
  fs::create_directory(unusable.path("empty"));
  unusable.write("images/a.png", std::string(4, '\0'));
  unusable.write("lonely/only.txt", "the only file of its class");
  CHECK(notes_of(unusable) ==
        Names{"skipped 1 binary file (images/a.png)",
              "dropped 2 classes without a usable file (empty, images)",
              "dropped 1 class with one file only: one to train on and one to hold out are needed (lonely)"});
}

TEST_CASE("fewer than two classes, a missing folder, or a file for one, are rejected", "[data]") {
  const TempTree tree;
  CHECK(contains(rejection(tree.root()), "folder:" + tree.root() + ": no class of text files was found"));
  tree.write("images/a.png", std::string(4, '\0'));
  const std::string nothing = rejection(tree.root());
  CHECK(contains(nothing, "no class of text files was found (classes are told apart by sub-folder)"));
  CHECK(contains(nothing, "give each class a sub-folder"));
  CHECK(contains(nothing, "skipped 1 binary file (images/a.png)"));
  tree.write_class("cats", 3, "the cat ");
  CHECK(contains(rejection(tree.root()), "only one class was found (cats)"));
  const TempTree file;
  file.write("file.txt", "text");
  CHECK(contains(rejection(file.root() + "/absent"), file.root() + "/absent: there is no such folder"));
  CHECK(contains(rejection(file.root() + "/file.txt"), "is not a folder"));
}

TEST_CASE("what may not be read is rejected at the root and skipped below", "[data]") {
  if (geteuid() == 0) return;  // root may read everything
  const TempTree tree;
  write_two_classes(tree);
  tree.write("dogs/locked/a.txt", "text");
  tree.write("dogs/locked.txt", "text");
  fs::permissions(tree.path("dogs/locked"), fs::perms::none);
  fs::permissions(tree.path("dogs/locked.txt"), fs::perms::none);
  const Names notes = notes_of(tree);
  fs::permissions(tree.path("dogs/locked"), fs::perms::owner_all);
  CHECK(notes == Names{"skipped 2 unreadable paths (dogs/locked.txt, dogs/locked/)"});

  fs::permissions(tree.root(), fs::perms::none);
  const std::string message = rejection(tree.root());
  fs::permissions(tree.root(), fs::perms::owner_all);
  CHECK(contains(message, tree.root() + ": Permission denied; name a folder that you may read"));
}

}  // namespace ringside
