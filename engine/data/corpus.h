// The corpus of data=self: the texts of one commit in one file (assets/corpus/README.md has the
// format), so that what is trained on does not change with the next commit.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "text_file.h"

namespace ringside::inline data {

inline constexpr size_t kMaxCorpusBytes = 1'000'000;              // of the file
inline constexpr size_t kMaxCorpusPlainBytes = size_t{16} << 20;  // unpacked
inline constexpr size_t kMaxCorpusFiles = 20'000;
inline constexpr size_t kMaxCorpusPath = 1024;  // bytes

struct Corpus {
  std::string commit;                     // 40 hexadecimal digits
  std::map<std::string, TextFile> files;  // by path; whole, and UTF-8
};

// InputError naming the file, what is wrong with it and what to do.
Corpus read_corpus_file(const std::string& path);

// The unpacked bytes; `name` is what errors call them.
Corpus parse_corpus(std::string_view plain, const std::string& name);

}  // namespace ringside::inline data
