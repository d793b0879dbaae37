#include "ringside/widgets/terms.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "ringside/widgets/canvas.h"
#include "ringside/widgets/draw.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {
namespace {

constexpr size_t kMostTexts = 500;  // remembered at once

bool is_word_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

bool same_letter(char wanted, char c, bool may_be_capital) {
  return wanted == c || (may_be_capital && std::toupper(static_cast<unsigned char>(wanted)) == c);
}

// The word as it stands, or with a capital letter at the start of a sentence; g is not G.
bool stands_at(std::string_view text, size_t at, const std::string& word) {
  if (at + word.size() > text.size() || !same_letter(word[0], text[at], word.size() > 1)) return false;
  return text.substr(at + 1, word.size() - 1) == std::string_view(word).substr(1);
}

bool is_whole_word(std::string_view text, size_t at, const std::string& word) {
  const size_t end = at + word.size();
  const bool letters = is_word_letter(word.front()) && is_word_letter(word.back());
  if (!letters) return true;  // Ψ stands in 2Ψ as well
  return (at == 0 || !is_word_letter(text[at - 1])) && (end == text.size() || !is_word_letter(text[end]));
}

// ---- On the screen -------------------------------------------------------------

// Where a part of the text stands that was broken at that width: as ImGui breaks it. Empty where it is broken
// itself.
Rect place_of(std::string_view text, const Terms::Found& found, ImVec2 at, float width, Type type) {
  const ImFont& shape = *font(type);
  const char *line = text.data(), *end = text.data() + text.size(), *word = text.data() + found.begin;
  float y = at.y;
  while (line < end) {
    const char* newline = std::find(line, end, '\n');
    const char* stop = shape.CalcWordWrapPositionA(1, line, newline, width);
    if (stop == line && line != newline) ++stop;
    if (word < stop) {
      if (text.data() + found.end > stop) return {at, at};
      const float left = shape.CalcTextSizeA(shape.FontSize, FLT_MAX, 0, line, word).x;
      const float wide = shape.CalcTextSizeA(shape.FontSize, FLT_MAX, 0, word, text.data() + found.end).x;
      return {{at.x + left, y}, {at.x + left + wide, y + shape.FontSize}};
    }
    line = stop;
    while (line < end && *line == ' ') ++line;
    if (line < end && *line == '\n') ++line;
    y += shape.FontSize;
  }
  return {at, at};
}

void dotted_line(const Rect& rect) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float dot = std::max(1.0f, px(1)), y = std::floor(rect.max.y - dot);
  for (float x = rect.min.x; x + dot <= rect.max.x; x += 3 * dot)
    list.AddRectFilled({x, y}, {x + dot, y + dot}, colours().dim);
}

void show_sentence(const Term& term, const std::string& word, const Rect& rect) {
  const ImVec2 below(rect.min.x, rect.max.y + px(6));
  note(word + (term.chinese.empty() ? "" : " " + term.chinese) + ": " + term.sentence, &below);
}

}  // namespace

Terms::Terms(std::vector<Term> terms) : terms_(std::move(terms)) {
  for (size_t i = 0; i < terms_.size(); ++i) {
    const std::string& words = terms_[i].word;
    for (size_t from = 0; from <= words.size();) {
      const size_t comma = std::min(words.find(',', from), words.size());
      const size_t first = std::min(words.find_first_not_of(' ', from), comma);
      if (first < comma) forms_.push_back({words.substr(first, comma - first), i});
      from = comma + 1;
    }
  }
  std::ranges::stable_sort(forms_,
                           [](const Form& a, const Form& b) { return a.word.size() > b.word.size(); });
}

std::span<const Terms::Found> Terms::find(std::string_view text) const {
  if (forms_.empty()) return {};
  const std::string key(text);
  const auto known = found_.find(key);
  if (known != found_.end()) return known->second;
  if (found_.size() >= kMostTexts) found_.clear();
  return found_.emplace(key, search(text)).first->second;
}

std::vector<Terms::Found> Terms::search(std::string_view text) const {
  std::vector<Found> all;
  std::set<size_t> seen;
  for (size_t at = 0; at < text.size();) {
    const auto form = std::ranges::find_if(forms_, [&](const Form& one) {
      return stands_at(text, at, one.word) && is_whole_word(text, at, one.word);
    });
    if (form == forms_.end()) {
      ++at;
      continue;
    }
    if (seen.insert(form->term).second) all.push_back({at, at + form->word.size(), form->term});
    at += form->word.size();
  }
  return all;
}

void Terms::explain(std::string_view text, ImVec2 at, float width, Type type) {
  const auto found = find(text);
  if (found.empty()) return;
  const int frame = ImGui::GetFrameCount();
  if (std::exchange(underlined_in_, frame) != frame) underlined_.clear();
  const bool free_mouse = ImGui::IsWindowHovered() && !ImGui::IsAnyItemActive();
  for (const Found& one : found) {
    const Rect rect = place_of(text, one, at, width, type);
    if (rect.width() <= 0 || !ImGui::IsRectVisible(rect.min, rect.max)) continue;
    const std::string word(text.substr(one.begin, one.end - one.begin));
    if (underlined_.insert(one.term).second) {
      dotted_line(rect);
      mark("term." + word, rect.min, rect.max);
    }
    if (!free_mouse || !rect.contains(ImGui::GetIO().MousePos)) continue;
    const double now = ImGui::GetTime();
    if (rested_.term != one.term || frame - rested_.frame > 1) rested_ = {one.term, now, frame, false};
    rested_.frame = frame;
    rested_.shown = now - rested_.since >= kTermDelay;
    if (rested_.shown) show_sentence(term(one.term), word, rect);
  }
}

bool Terms::waiting() const { return rested_.frame >= ImGui::GetFrameCount() - 1 && !rested_.shown; }

}  // namespace ringside::ui
