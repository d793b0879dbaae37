#include "ringside/widgets/fonts.h"

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/widgets/look.h"

namespace ringside::ui {
namespace {

namespace fs = std::filesystem;

struct Face {
  const char* file;
  float size;
};
constexpr std::array<Face, kTypeCount> kFaces = {{{"DejaVuSans.ttf", 13},
                                                  {"DejaVuSans.ttf", 16},
                                                  {"DejaVuSans-Bold.ttf", 16},
                                                  {"DejaVuSans.ttf", 20},
                                                  {"DejaVuSans.ttf", 30},
                                                  {"DejaVuSansMono.ttf", 14}}};

constexpr const char* kDejaVuFolders[] = {"/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu",
                                          "/usr/share/fonts/TTF", "/usr/local/share/fonts/dejavu"};
constexpr const char* kChineseFonts[] = {"/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
                                         "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc",
                                         "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
                                         "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc"};

// Latin, Greek, punctuation, super- and subscripts, arrows, mathematics, boxes, shapes, marks.
constexpr ImWchar kAlways[] = {0x0020, 0x00FF, 0x0391, 0x03C9, 0x2010, 0x2027, 0x2070, 0x209C,
                               0x2190, 0x21FF, 0x2200, 0x22C6, 0x2308, 0x230B, 0x2500, 0x259F,
                               0x25A0, 0x25FF, 0x2713, 0x2718, 0xFFFD, 0xFFFD, 0};
constexpr ImWchar kOfNumbers[] = {0x0020, 0x007E, 0x00B5, 0x00B7, 0x00D7, 0x00D7, 0x03A8, 0x03A8, 0x2026,
                                  0x2026, 0x2212, 0x2212, 0x2248, 0x2248, 0xFFFD, 0xFFFD, 0};

bool always_baked(ImWchar c) {
  for (const ImWchar* range = kAlways; *range != 0; range += 2)
    if (c >= range[0] && c <= range[1]) return true;
  return c < 0x20;
}

fs::path find_face(const char* file) {
  for (const char* folder : kDejaVuFolders) {
    if (fs::path path = fs::path(folder) / file; fs::exists(path)) return path;
  }
  throw MissingError(std::string(file) + " is not installed; install the package fonts-dejavu-core");
}

fs::path find_chinese() {
  for (const char* path : kChineseFonts)
    if (fs::exists(path)) return path;
  return {};
}

}  // namespace

bool is_chinese(char32_t c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF00 && c <= 0xFFEF);
}

bool Fonts::need(std::string_view utf8) {
  bool added = false;
  while (!utf8.empty()) {
    const Letter letter = first_letter(utf8);
    utf8.remove_prefix(letter.bytes);
    if (letter.code > 0xFFFF) continue;  // more than ImWchar's 16 bits
    const auto code = static_cast<ImWchar>(letter.code);
    if (always_baked(code) || code == 0xFFFD || !extra_.insert(code).second) continue;
    added = true;
    needs_chinese_ = needs_chinese_ || is_chinese(code);
  }
  stale_ = stale_ || added;
  return added;
}

void Fonts::build(ImFontAtlas& atlas, float scale) {
  static ImVector<ImWchar> extra;  // ImGui keeps the pointer until the atlas is built
  ImFontGlyphRangesBuilder builder;
  for (const ImWchar code : extra_) builder.AddChar(code);
  extra.clear();
  builder.BuildRanges(&extra);
  if (needs_chinese_) chinese_font_ = find_chinese();

  atlas.Clear();
  atlas.TexDesiredWidth = scale > 1.5f ? 2048 : 1024;
  for (size_t i = 0; i < kFaces.size(); ++i) {
    const auto type = static_cast<Type>(i);
    ImFontConfig config;
    config.OversampleH = config.OversampleV = 1;
    config.PixelSnapH = true;
    const float size = kFaces[i].size * scale;
    const std::string path = find_face(kFaces[i].file).string();
    fonts_[i] =
        atlas.AddFontFromFileTTF(path.c_str(), size, &config, type == Type::kNumber ? kOfNumbers : kAlways);
    if (extra_.empty() || type == Type::kNumber) continue;
    config.MergeMode = true;
    atlas.AddFontFromFileTTF(path.c_str(), size, &config, extra.Data);
    if (chinese_font_.empty()) continue;
    config.FontNo = chinese_font_.filename() == "NotoSansCJK-Regular.ttc" ? 2 : 0;
    atlas.AddFontFromFileTTF(chinese_font_.string().c_str(), size, &config, extra.Data);
  }
  if (!atlas.Build()) throw MissingError("the fonts could not be drawn; reinstall fonts-dejavu-core");
  stale_ = false;
}

FontScope::FontScope(Type type) { ImGui::PushFont(font(type)); }
ImFont* font(Type type) { return look().fonts.get(type); }
float line_height(Type type) { return font(type)->FontSize; }

}  // namespace ringside::ui
