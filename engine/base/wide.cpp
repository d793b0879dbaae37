// How many columns a terminal gives a letter: 2 to those of East Asian width Wide or Fullwidth (Unicode
// Standard Annex 11), 0 to marks that stand on the letter before, else 1.
#include <algorithm>
#include <array>

#include "wide.h"

namespace ringside::inline base {
namespace {

struct Letters {
  char32_t first, last;
};

constexpr std::array kWide = std::to_array<Letters>({
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2B1B, 0x2B1C},   {0x2E80, 0x303E},
    {0x3041, 0x3098},   {0x309B, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x17000, 0x18CFF},
    {0x1B000, 0x1B2FF}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
});
constexpr std::array kMarks = std::to_array<Letters>({
    {0x0300, 0x036F},
    {0x0483, 0x0489},
    {0x0591, 0x05BD},
    {0x064B, 0x065F},
    {0x0E34, 0x0E3A},
    {0x0E47, 0x0E4E},
    {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF},
    {0x200B, 0x200F},
    {0x20D0, 0x20FF},
    {0x3099, 0x309A},
    {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F},
    {0xE0100, 0xE01EF},
});

bool is_among(const auto& ranges, char32_t code) {
  const auto behind = std::ranges::upper_bound(ranges, code, {}, &Letters::first);
  return behind != ranges.begin() && code <= std::prev(behind)->last;
}

// Of Chinese and Japanese: what no line begins with, and what none ends with.
constexpr std::u32string_view kClosing = U"、。，．：；？！）］｝〉》」』】〕”’…",
                              kOpening = U"（［｛〈《「『【〔“‘";

}  // namespace

size_t columns_of(char32_t code) {
  constexpr char32_t kFirst = 0x0300;
  if (code < kFirst) return 1;
  return is_among(kMarks, code) ? 0 : is_among(kWide, code) ? 2 : 1;
}

bool may_break(char32_t before, char32_t behind) {
  if (columns_of(before) != 2 && columns_of(behind) != 2) return false;
  return columns_of(behind) != 0 && kClosing.find(behind) == kClosing.npos &&
         kOpening.find(before) == kOpening.npos;
}

}  // namespace ringside::inline base
