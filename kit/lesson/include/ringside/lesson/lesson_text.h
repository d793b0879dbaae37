// What front ends take out of lesson.md by its headings:
//
//     ## Say it
//     **In short.** ...            the answers; what stands before the first such word is no answer
//     ## Key points
//     - The parts of a good answer, a sentence each.
//     ## They will ask next
//     - The question? The answer, with [links](<run:zero ranks=3>).
//     ## The words
//     | rank, ranks | 进程 | A process of the training: here a thread. |
//
// Pure functions of the text; a lesson may have none of these.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

inline constexpr std::string_view kBreakItPart = "Break it", kSayItPart = "Say it",
                                  kKeyPointsPart = "Key points", kAskedNextPart = "They will ask next",
                                  kWordsPart = "The words";

struct TextPart {
  std::string title, body;
};
// Cut at its headings of level 2; what stands before the first has the title "".
std::vector<TextPart> parts_of(std::string_view text);
std::string part_of(std::string_view text, std::string_view title);  // its body; "" where there is none

// The items of the first list of a part ("- one"), each in one line. Lines that continue an item are joined.
std::vector<std::string> items_of(std::string_view body);

struct FollowUp {
  std::string question, answer;  // "Why not always stage 3?", markdown
};
// Of the part kAskedNextPart: an item up to its first "? " is the question. An item without one has no
// answer.
std::vector<FollowUp> follow_ups_of(std::string_view text);

// Of the part kWordsPart: the rows of its table below the head. InputError naming the row that has not three
// cells, or an empty word or sentence.
std::vector<Term> terms_of(std::string_view text);

// Of the part kSayItPart: the paragraph behind **In short.**, in one line, without marks.
std::string in_short_of(std::string_view text);
// Sentences of a text without marks: each ends with a . ? or ! before a blank and a capital letter or a
// number.
std::vector<std::string> sentences_of(std::string_view text);

// What the part kBreakItPart proposes: the scenario of an item's first link, and what is said of it.
struct Trial {
  std::string scenario, says;  // "zero ranks=3", "Ψ does not divide by three."
};
std::vector<Trial> trials_of(std::string_view text);

// Markdown as words alone: links by their words, no marks.
std::string without_marks(std::string_view markdown);

}  // namespace ringside::inline kit
