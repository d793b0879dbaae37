// A folder of its own for one test, removed at its end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace ringside {

class TempTree {
 public:
  TempTree() {
    std::string name = (std::filesystem::temp_directory_path() / "ringside_data_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    root_ = name;
  }
  ~TempTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  std::string root() const { return root_.string(); }
  std::filesystem::path path(const std::string& name) const { return root_ / name; }
  void write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  // Files NAME/0.txt, NAME/1.txt ... of `text` repeated.
  void write_class(const std::string& name, int files, const std::string& text) const {
    for (int i = 0; i < files; ++i) {
      std::string bytes;
      for (int j = 0; j < 20; ++j) bytes += text + std::to_string(i);
      write(name + "/" + std::to_string(i) + ".txt", bytes);
    }
  }

 private:
  std::filesystem::path root_;
};

// Two good classes, beside which a test puts something bad.
inline void write_two_classes(const TempTree& tree) {
  tree.write_class("cats", 5, "the cat sat on the mat ");
  tree.write_class("dogs", 5, "a dog dug up bones ");
}

}  // namespace ringside
