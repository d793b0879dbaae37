// Texts in Markdown: lessons, hints, what a run found. Parsed once, laid out at
// whatever width there is. A text is never trusted: bounded in size and depth,
// its HTML is text, and no link opens anything.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::ui {

struct MarkdownDocument;

class Markdown {
 public:
  // InputError beyond 1 MiB, or beyond lists and quotes nested 32 deep.
  explicit Markdown(std::string_view text);

  struct Clicked {
    std::string run;     // the scenario of a link "run:SCENARIO" that was clicked in this frame
    std::string copied;  // what a click on a link or on "copy" put on the clipboard
  };
  // At the cursor of the window; its height is right from the first frame on. Marks "<id>.run.N",
  // "<id>.link.N" and "<id>.copy.N", counted from the top. Look::fonts.need(plain_text()) comes first.
  Clicked draw(float width, std::string_view id) const;

  std::vector<std::string> runs() const;  // the scenarios of its buttons, from the top
  std::string plain_text() const;         // without marks; blocks apart by a line's end

 private:
  std::shared_ptr<const MarkdownDocument> document_;
};

}  // namespace ringside::ui
