#include <stdlib.h>
#include <unistd.h>

#include "../../engine/data/listing.h"
#include "byte_classifier.h"
#include "catch.h"
#include "patience.h"
#include "ringside/base/error.h"
#include "ringside/data/dataset.h"
#include "temp_tree.h"
namespace ringside {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

void write_languages(const TempTree& tree) {
  for (const std::string part : {"a", "b", "c"}) {
    tree.write(part + "/" + part + ".cpp", "#include <vector>\nint main() { return 0; }\n");
    tree.write(part + "/" + part + ".h", "#pragma once\n");
    tree.write(part + "/CMakeLists.txt", "add_library(" + part + " " + part + ".cpp)\n");
    tree.write(part + "/README.md", "# " + part + "\n\nSome words.\n");
    tree.write(part + "/run", "#!/usr/bin/env bash\nset -eu\n");
  }
  tree.write("tool.py", "import sys\n");
  tree.write("tool", "#!/usr/bin/env python3\nimport sys\n");
  tree.write("LICENSE", "All of it.\n");
}

// A machine's settings stay out of these tests: "safe.directory=*" would trust a stranger's repository.
bool has_git() {
  setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
  setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
  return std::system("git --version >/dev/null 2>&1") == 0;
}

void make_repository(const TempTree& tree) {
  const std::string git = "git -C '" + tree.root() + "' ";
  REQUIRE(std::system((git + "init -q && " + git + "add .").c_str()) == 0);
}

Dataset read_tree(const TempTree& tree) { return read_repository(tree.root(), DataOptions{}); }

bool came_from_git(const Dataset& dataset) {
  return dataset.description.find("files that git tracks") != std::string::npos;
}

// Sets PATH while it lives.
class SearchPath {
 public:
  explicit SearchPath(const std::string& value) : before_(getenv("PATH")) {
    setenv("PATH", value.c_str(), 1);
  }
  ~SearchPath() { setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

}  // namespace

TEST_CASE("a repository's classes are its languages", "[data]") {
  const TempTree tree;
  write_languages(tree);
  const Dataset dataset = read_tree(tree);
  CHECK(dataset.classes == Names{"C++", "CMake", "Markdown", "Python", "Shell"});
  CHECK(dataset.description == "tree: 17 files, 5 classes, one per language");
  CHECK(dataset.notes == Names{"skipped 1 file of no known language (LICENSE)"});
}

TEST_CASE("git says which files are the repository's", "[data]") {
  if (!has_git()) return;
  const TempTree tree;
  write_languages(tree);
  const std::string walked = read_tree(tree).sha256;
  tree.write(".hidden/tracked.cpp", "int not_to_be_read;\n");
  make_repository(tree);
  tree.write("a/untracked.cpp", "int not_to_be_read;\n");
  const Dataset dataset = read_tree(tree);
  CHECK(dataset.description == "tree (files that git tracks): 17 files, 5 classes, one per language");
  CHECK(dataset.sha256 == walked);

  setenv("GIT_DIR", "/nowhere", 1);  // as it is in a hook of another repository
  CHECK(read_tree(tree).sha256 == walked);
  unsetenv("GIT_DIR");

  fs::remove(tree.path("a/run"));  // tracked, but gone
  const Dataset without = read_tree(tree);
  CHECK(without.notes[0] == "set aside 1 hidden or build entry (.hidden/tracked.cpp)");
  CHECK(without.notes[1] == "skipped 1 unreadable path (a/run)");
  CHECK(came_from_git(without));
}

TEST_CASE("without git's help the tree is walked", "[data]") {
  if (!has_git()) return;
  const TempTree tree, programs;
  write_languages(tree);
  const std::string walked = read_tree(tree).sha256;
  const auto check_walked = [&] {
    const Dataset dataset = read_tree(tree);
    CHECK(dataset.sha256 == walked);
    CHECK_FALSE(came_from_git(dataset));
  };
  make_repository(tree);
  REQUIRE(came_from_git(read_tree(tree)));

  SECTION("git is not installed") {
    const SearchPath empty(programs.root());
    check_walked();
  }
  SECTION("git writes without end") {
    programs.write("git", "#!/bin/sh\nexec yes\n");
    fs::permissions(programs.path("git"), fs::perms::owner_all);
    const SearchPath fake(programs.root() + ":" + getenv("PATH"));
    check_walked();
  }
  SECTION("the repository is broken") {
    fs::remove(tree.path(".git/HEAD"));
    check_walked();
  }
  SECTION("the repository is another user's") {  // "dubious ownership"
    if (geteuid() != 0) return;
    REQUIRE(chown(tree.root().c_str(), 12345, 12345) == 0);
    REQUIRE(chown(tree.path(".git").c_str(), 12345, 12345) == 0);
    check_walked();
  }
}

TEST_CASE("the project's own tree can be told apart by its bytes; what capture gives", "[data]") {
  DataOptions options;
  options.source = "tree";
  options.max_tokens = 48;
  const Dataset dataset = load_dataset(options);
  CHECK(std::count(dataset.classes.begin(), dataset.classes.end(), "C++") == 1);
  CHECK(byte_classifier_accuracy(dataset) > dataset.majority_accuracy() + 0.1);
  options.project = "/nowhere/at/all";
  CHECK_THROWS_AS(load_dataset(options), InputError);
  CHECK(capture({"printf", "%s", "$HOME; *"}, 100, testing::kPatience) == "$HOME; *");
  CHECK(capture({"cat"}, 100, testing::kPatience) == "");
  CHECK_FALSE(capture({"false"}, 100, testing::kPatience));
  CHECK_FALSE(capture({"no-such-program-here"}, 100, testing::kPatience));
  CHECK_FALSE(capture({"printf", "%s", "eleven byte"}, 10, testing::kPatience));
  CHECK_FALSE(capture({"sleep", "1000"}, 100, std::chrono::milliseconds(50)));
  const std::string closes_its_output = "exec >&-; sleep 1000";
  CHECK_FALSE(capture({"sh", "-c", closes_its_output}, 100, std::chrono::milliseconds(50)));
}

}  // namespace ringside
