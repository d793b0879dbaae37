// Everything that may be wrong with a folder: a counted skip, or an InputError
// that names it and what to do.
#include <sys/stat.h>
#include <unistd.h>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/data/dataset.h"
#include "temp_tree.h"

namespace ringside {
namespace {

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

TEST_CASE("binary and empty files are skipped and counted", "[data]") {
  const TempTree tree;
  write_two_classes(tree);
  tree.write("cats/a.png", std::string("\x89PNG\0\0", 6));
  tree.write("dogs/b.o", std::string("text, and then\0", 15));
  tree.write("dogs/empty.txt", "");
  CHECK(notes_of(tree) ==
        Names{"skipped 1 empty file (dogs/empty.txt)", "skipped 2 binary files (cats/a.png, dogs/b.o)"});
}

TEST_CASE("hidden and build folders are set aside", "[data]") {
  const TempTree tree;
  write_two_classes(tree);
  for (const std::string name : {".git", "build", "build-debug", "node_modules"}) {
    tree.write_class(name, 2, "not to be read ");
  }
  tree.write_class("cats/__pycache__", 2, "not to be read ");
  tree.write("cats/.hidden", "not to be read");
  const Names notes = notes_of(tree);
  REQUIRE(notes.size() == 1);
  CHECK(contains(notes[0], "set aside 6 hidden or build entries ("));
}

TEST_CASE("symbolic links are not followed, so a loop ends", "[data]") {
  const TempTree tree;
  write_two_classes(tree);
  fs::create_directory_symlink(tree.root(), tree.path("cats/loop"));
  fs::create_symlink("nowhere", tree.path("cats/dangling"));
  fs::create_symlink("0.txt", tree.path("cats/twice.txt"));
  CHECK(notes_of(tree) == Names{"skipped 3 symbolic links (cats/dangling, cats/loop, cats/twice.txt)"});
}

TEST_CASE("a pipe is not waited for", "[data]") {
  const TempTree tree;
  write_two_classes(tree);
  REQUIRE(mkfifo(tree.path("dogs/pipe").c_str(), 0600) == 0);
  CHECK(notes_of(tree) == Names{"skipped 1 entry that is no file (dogs/pipe)"});
}

TEST_CASE("of a huge file only the beginning is read", "[data]") {
  const TempTree tree;
  write_two_classes(tree);
  std::string bytes;
  while (bytes.size() < (size_t{1} << 20)) bytes += "twelve bytes";
  tree.write("dogs/huge.txt", bytes + std::string(10, '\0'));  // it would be binary if it were read on
  const Names notes = notes_of(tree);
  REQUIRE(notes.size() == 2);  // and that not all windows are kept
  CHECK(notes[0] == "read only the first MiB of 1 huge file (dogs/huge.txt)");
}

TEST_CASE("invalid UTF-8 is kept and counted", "[data]") {
  const TempTree tree;
  write_two_classes(tree);
  tree.write("cats/good.txt", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x88");
  tree.write("cats/latin1.txt", "caf\xe9 au lait");
  tree.write("dogs/overlong.txt", "\xc0\xaf is a slash");
  CHECK(notes_of(tree) ==
        Names{"kept the bytes of 2 files that are not valid UTF-8 (cats/latin1.txt, dogs/overlong.txt)"});
}

TEST_CASE("a character that the bound on huge files cuts is not counted as invalid", "[data]") {
  const TempTree tree;
  write_two_classes(tree);
  const std::string almost((size_t{1} << 20) - 1, 'x');
  tree.write("cats/cut.txt", almost + "\xc3\xa9");
  tree.write("dogs/broken.txt", "\xc3" + almost + "\xc3\xa9");
  const Names notes = notes_of(tree);
  REQUIRE(notes.size() == 3);
  CHECK(notes[0] == "read only the first MiB of 2 huge files (cats/cut.txt, dogs/broken.txt)");
  CHECK(notes[1] == "kept the bytes of 1 file that is not valid UTF-8 (dogs/broken.txt)");
}

TEST_CASE("names that are not fit to print are made so", "[data]") {
  const TempTree tree;
  tree.write_class("caf\xe9", 2, "text ");
  tree.write_class("red\x1b[31m", 2, "words ");
  tree.write("red\x1b[31m/\xc2\x9b.txt", "");
  const Dataset dataset = read_folder(tree.root(), DataOptions{});
  CHECK(dataset.classes == Names{"caf?", "red?[31m"});
  CHECK(dataset.notes == Names{"skipped 1 empty file (red?[31m/?.txt)"});
}

TEST_CASE("a class that cannot be used is dropped", "[data]") {
  const TempTree tree;
  write_two_classes(tree);
  fs::create_directory(tree.path("empty"));
  tree.write("images/a.png", std::string(4, '\0'));
  tree.write("lonely/only.txt", "the only file of its class");
  CHECK(notes_of(tree) ==
        Names{"skipped 1 binary file (images/a.png)",
              "dropped 2 classes without a usable file (empty, images)",
              "dropped 1 class with one file only: one to train on and one to hold out are needed (lonely)"});
}

TEST_CASE("fewer than two classes are rejected", "[data]") {
  const TempTree tree;
  CHECK(contains(rejection(tree.root()), "folder:" + tree.root() + ": no class of text files was found"));
  tree.write("images/a.png", std::string(4, '\0'));
  const std::string nothing = rejection(tree.root());
  CHECK(contains(nothing, "no class of text files was found (classes are told apart by sub-folder)"));
  CHECK(contains(nothing, "give each class a sub-folder"));
  CHECK(contains(nothing, "skipped 1 binary file (images/a.png)"));
  tree.write_class("cats", 3, "the cat ");
  CHECK(contains(rejection(tree.root()), "only one class was found (cats)"));
}

TEST_CASE("a missing folder, or a file for a folder, is rejected", "[data]") {
  const TempTree tree;
  tree.write("file.txt", "text");
  CHECK(contains(rejection(tree.root() + "/absent"), tree.root() + "/absent: there is no such folder"));
  CHECK(contains(rejection(tree.root() + "/file.txt"), "is not a folder"));
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
