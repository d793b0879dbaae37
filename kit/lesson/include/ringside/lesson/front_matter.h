// lesson.md: a front matter between two lines "---", then the text.
//
//     ---
//     id: zero
//     title: What must every rank keep?
//     order: 1
//     track: memory
//     questions: B13, B14
//     short: ZeRO               (optional: its name where there is little room, at most 8 letters; else its
//     id) engine: torch-free        (optional: the lesson needs no LibTorch; or torch: its own files
//                               include LibTorch, and are compiled with its precompiled header)
//     ---
//     # The text ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside::inline kit {

struct FrontMatter {
  std::string id, title, track, short_name;
  int order = 0;
  std::vector<std::string> questions;  // may be empty
  std::string text;                    // what follows, byte for byte
};

// InputError naming the key and the lesson's id (where it is known) for a key that is
// missing, unknown, given twice or malformed. Lines may end in \n or \r\n.
FrontMatter parse_front_matter(std::string_view document);

// Every lesson beside this program, built or not (modules.h), in order of (track, order, id). Read once.
// MissingError where there is no folder of lessons.
const std::vector<FrontMatter>& lesson_catalogue();
const FrontMatter& find_front_matter(const std::string& id);  // UsageError naming what exists

}  // namespace ringside::inline kit
