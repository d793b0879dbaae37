#include "byte_classifier.h"
#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/data/dataset.h"
#include "temp_tree.h"

namespace ringside {
namespace {

using Names = std::vector<std::string>;

DataOptions with_tokens(int64_t max_tokens) {
  DataOptions options;
  options.max_tokens = max_tokens;
  return options;
}

std::string text_of(const Sample& sample) {
  return std::string(sample.tokens.begin(), sample.tokens.end() - 1);
}

// Every window of 8 bytes says which file it is from: "cats0012".
void write_marked_files(const TempTree& tree, const std::string& name, int files, int windows) {
  for (int i = 0; i < files; ++i) {
    const std::string number = std::to_string(10'000 + i).substr(1);
    std::string bytes;
    for (int j = 0; j < windows; ++j) bytes += name + number;
    tree.write(name + "/" + number, bytes);
  }
}

}  // namespace

TEST_CASE("classes are sub-folders where no file lies beneath the root, else extensions", "[data]") {
  const TempTree tree;
  write_two_classes(tree);
  const Dataset dataset = read_folder(tree.root(), DataOptions{});
  CHECK(dataset.classes == Names{"cats", "dogs"});
  CHECK(dataset.description == "folder:" + tree.root() + ": 10 files, 2 classes, one per sub-folder");
  CHECK(dataset.notes.empty());
  CHECK(dataset.sha256 == dataset_sha256(dataset));
  const TempTree flat;
  for (const std::string name : {"a.txt", "b.TXT", "c.md", "deep/er/d.md", "Makefile", "LICENSE"})
    flat.write(name, "some text in " + name);
  const Dataset by_name = read_folder(flat.root(), DataOptions{});
  CHECK(by_name.classes == Names{".md", ".txt", "no extension"});
  CHECK(by_name.description == "folder:" + flat.root() + ": 6 files, 3 classes, one per file extension");
  CHECK(by_name.train.size() == 3);
  CHECK(by_name.test.size() == 3);
}

TEST_CASE("a file's windows are all on one side of the split, with the label of its class", "[data]") {
  const TempTree tree;
  write_marked_files(tree, "cats", 100, 3);
  write_marked_files(tree, "dogs", 7, 3);
  write_marked_files(tree, "fish", 2, 3);
  const Dataset dataset = read_folder(tree.root(), with_tokens(9));
  REQUIRE(dataset.train.size() + dataset.test.size() == 3 * 109);
  std::map<std::string, int> train, test;
  for (const Sample& sample : dataset.train) {
    ++train[text_of(sample)];
    CHECK(text_of(sample).substr(0, 4) == dataset.classes[static_cast<size_t>(sample.label)]);
  }
  for (const Sample& sample : dataset.test) ++test[text_of(sample)];
  for (const auto& [file, count] : test) {
    CHECK(count == 3);
    CHECK(train.count(file) == 0);
  }
  CHECK(train.size() + test.size() == 109);
  CHECK(test.size() > 109 / 10);
  CHECK(test.size() < 109 / 3);
  for (const std::string name : {"cats", "dogs", "fish"}) {  // each class is on both sides
    const auto is_of_class = [&](const auto& entry) { return entry.first.substr(0, 4) == name; };
    CHECK(std::count_if(train.begin(), train.end(), is_of_class) > 0);
    CHECK(std::count_if(test.begin(), test.end(), is_of_class) > 0);
  }
}

TEST_CASE("a window begins with a line, and is full or a long enough rest", "[data]") {
  const TempTree tree;
  const std::string full(10, 'c');
  tree.write("cats/0", full + full + "rest");  // 10 + 10 + 4: the rest is left out
  tree.write("cats/1", full + full + "rest.");
  tree.write("cats/2", "one line\nlost\nsecond line\n");
  tree.write("cats/3", "one\nlines\nthird\nlost");
  tree.write("dogs/0", "d");
  tree.write("dogs/1", "d");
  const Dataset dataset = read_folder(tree.root(), with_tokens(11));
  std::multiset<std::string> texts;
  for (const auto* part : {&dataset.train, &dataset.test})
    for (const Sample& sample : *part) texts.insert(text_of(sample));
  CHECK(texts == std::multiset<std::string>{full, full, full, full, "rest.", "one line\nl", "second lin",
                                            "one\nlines\n", "third\nlost", "d", "d"});
}

TEST_CASE("large classes are capped, only the largest are kept, and it is said", "[data]") {
  const TempTree tree;
  write_marked_files(tree, "cats", 40, 100);
  write_marked_files(tree, "dogs", 2, 1);
  const Dataset dataset = read_folder(tree.root(), with_tokens(9));
  CHECK(dataset.train.size() == 256 + 1);
  CHECK(dataset.test.size() == 64 + 1);
  CHECK(dataset.majority_accuracy() == Approx(64.0 / 65.0));
  REQUIRE(dataset.notes.size() == 1);
  CHECK(dataset.notes[0].substr(0, 50) == "kept 322 of 4,002 windows of the files: at most 64");
  const TempTree three;
  three.write_class("small", 2, "small text ");
  write_two_classes(three);
  DataOptions options;
  options.max_classes = 2;
  const Dataset largest = read_folder(three.root(), options);
  CHECK(largest.classes == Names{"cats", "dogs"});
  CHECK(largest.notes == Names{"dropped 1 class, the smallest, beyond the most allowed (small)"});
}

TEST_CASE("the hash follows the content, not the place or the seed; what is no source is refused", "[data]") {
  const TempTree tree;
  write_two_classes(tree);
  DataOptions options;
  const std::string hash = read_folder(tree.root(), options).sha256;
  options.seed = 99;
  CHECK(read_folder(tree.root() + "/", options).sha256 == hash);
  const TempTree other;  // the same files, written in another order
  other.write_class("dogs", 5, "a dog dug up bones ");
  other.write_class("cats", 5, "the cat sat on the mat ");
  CHECK(read_folder(other.root(), options).sha256 == hash);
  other.write("dogs/3.txt", "A dog dug up bones 3");
  CHECK(read_folder(other.root(), options).sha256 != hash);
  const TempTree source;
  write_two_classes(source);
  DataOptions of_source;
  of_source.source = "folder:" + source.root();
  CHECK(load_dataset(of_source).classes == Names{"cats", "dogs"});
  for (const std::string wrong : {"", "folder", "folder:", "Synthetic", "files:/tmp"}) {
    of_source.source = wrong;
    CHECK_THROWS_AS(load_dataset(of_source), UsageError);
  }
  of_source.source = "synthetic";
  CHECK(load_dataset(of_source).train.size() == 512);
}

}  // namespace ringside
