// A folder of classes, for one test.
#pragma once

#include <filesystem>
#include <string>

#include "temp_folder.h"

namespace ringside {

class TempTree {
 public:
  std::string root() const { return folder_.path.string(); }
  std::filesystem::path path(const std::string& name) const { return folder_.path / name; }
  void write(const std::string& name, const std::string& bytes) const { folder_.write(name, bytes); }
  // Files NAME/0.txt, NAME/1.txt ... of `text` repeated.
  void write_class(const std::string& name, int files, const std::string& text) const {
    for (int i = 0; i < files; ++i) {
      std::string bytes;
      for (int j = 0; j < 20; ++j) bytes += text + std::to_string(i);
      write(name + "/" + std::to_string(i) + ".txt", bytes);
    }
  }

 private:
  testing::TempFolder folder_;
};

// Two good classes, beside which a test puts something bad.
inline void write_two_classes(const TempTree& tree) {
  tree.write_class("cats", 5, "the cat sat on the mat ");
  tree.write_class("dogs", 5, "a dog dug up bones ");
}

}  // namespace ringside
