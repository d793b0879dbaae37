// What a person can read on the screen: the letters of the last frame, found by where they lie in the atlas
// and put together to lines. Whatever drew them.
#pragma once

#include <imgui.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace ringside::test {

inline void append_utf8(std::string& text, unsigned letter) {
  if (letter < 0x80) {
    text += static_cast<char>(letter);
  } else if (letter < 0x800) {
    text += static_cast<char>(0xC0 | (letter >> 6));
    text += static_cast<char>(0x80 | (letter & 0x3F));
  } else {
    text += static_cast<char>(0xE0 | (letter >> 12));
    text += static_cast<char>(0x80 | ((letter >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (letter & 0x3F));
  }
}

class ScreenReader {
 public:
  // The text of the last frame, a line for what stands in one row without a wide gap.
  static std::string read() {
    ScreenReader reader;
    const ImDrawData* data = ImGui::GetDrawData();
    for (int l = 0; l < data->CmdListsCount; ++l)
      for (const ImDrawCmd& command : data->CmdLists[l]->CmdBuffer) reader.read(*data->CmdLists[l], command);
    return reader.text_;
  }

 private:
  struct Letter {
    const ImFont* font;
    const ImFontGlyph* glyph;
  };

  ScreenReader() {
    for (const ImFont* font : ImGui::GetIO().Fonts->Fonts)
      for (const ImFontGlyph& glyph : font->Glyphs)
        if (glyph.Visible) letters_[{glyph.U0, glyph.V0}] = {font, &glyph};
  }

  void read(const ImDrawList& list, const ImDrawCmd& command) {
    const auto vertex = [&](unsigned i) -> const ImDrawVert& {
      return list.VtxBuffer[static_cast<int>(command.VtxOffset) +
                            list.IdxBuffer[static_cast<int>(command.IdxOffset + i)]];
    };
    for (unsigned i = 0; i + 5 < command.ElemCount; ++i) {
      const ImDrawVert &a = vertex(i), &c = vertex(i + 2);
      const auto letter = letters_.find({a.uv.x, a.uv.y});
      if (letter == letters_.end() || c.uv.x != letter->second.glyph->U1) continue;
      const ImVec4& clip = command.ClipRect;
      const ImVec2 middle((a.pos.x + c.pos.x) / 2, (a.pos.y + c.pos.y) / 2);
      if (middle.x >= clip.x && middle.x < clip.z && middle.y >= clip.y && middle.y < clip.w)
        add(letter->second, a.pos);
      i += 5;
    }
  }

  void add(const Letter& letter, ImVec2 corner) {
    const float x = corner.x - letter.glyph->X0, y = corner.y - letter.glyph->Y0;
    const float blank = letter.font->GetCharAdvance(' '), gap = x - end_;
    if (std::abs(y - row_) > 1 || gap < -2 || gap > 3 * blank)
      text_ += '\n';
    else if (gap > blank / 2)
      text_ += ' ';
    append_utf8(text_, letter.glyph->Codepoint);
    row_ = y;
    end_ = x + letter.glyph->AdvanceX;
  }

  std::map<std::pair<float, float>, Letter> letters_;
  std::string text_;
  float row_ = -1e9f, end_ = 0;
};

inline std::string drawn_text() { return ScreenReader::read(); }

}  // namespace ringside::test
