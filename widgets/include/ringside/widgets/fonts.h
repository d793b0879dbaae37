// The baked fonts. ImGui before 1.92 draws only glyphs that were baked into its
// atlas, at the size they were baked: so each size is a font of its own, and code
// points beyond the usual symbols are added when a text needs them.
#pragma once

#include <imgui.h>

#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace ringside::ui {

enum class Type : uint8_t { kLabel, kBody, kBold, kQuestion, kNumber, kMono };  // 13 16 16 20 30 14
inline constexpr int kTypeCount = 6;

bool is_chinese(char32_t code);  // or punctuation that goes with it

class Fonts {
 public:
  // Notes the code points of a text that is going to be drawn. True where one of them
  // is new: build() has to run before the next frame.
  bool need(std::string_view utf8);
  bool stale() const { return stale_; }

  // Bakes everything needed so far at this scale. MissingError naming the package where
  // DejaVu Sans is not installed. The caller uploads the texture.
  void build(ImFontAtlas& atlas, float scale);

  ImFont* get(Type type) const { return fonts_[size_t(type)]; }
  // A text needs Chinese characters, and no installed font has them.
  bool lacks_chinese() const { return needs_chinese_ && chinese_font_.empty(); }
  static constexpr const char* kChinesePackage = "fonts-wqy-microhei or fonts-noto-cjk";

 private:
  std::array<ImFont*, kTypeCount> fonts_{};
  std::set<ImWchar> extra_;  // beyond what is always baked
  std::filesystem::path chinese_font_;
  bool needs_chinese_ = false, stale_ = true;
};

// Draws in a font until its end.
class FontScope {
 public:
  explicit FontScope(Type type);
  ~FontScope() { ImGui::PopFont(); }
  FontScope& operator=(FontScope&&) = delete;
};
ImFont* font(Type type);
float line_height(Type type = Type::kLabel);  // in pixels

}  // namespace ringside::ui
