// Words of the field in a text: found whole, the longest first, explained where the mouse rests.
#include "ringside/widgets/terms.h"
#include "catch.h"
#include "drawn_text.h"
#include "ringside/widgets/markdown.h"
#include "windowless.h"

using namespace ringside;

namespace {

const std::vector<Term> kWords = {{"rank, ranks", "进程", "A process of the training."},
                                  {"all-reduce", "", "A sum that every rank receives."},
                                  {"Ψ", "", "The number of parameters."},
                                  {"g", "", "Micro-batches."},
                                  {"reduce", "", "Adds up."}};

std::string found_in(const std::string& text) {
  const ui::Terms terms(kWords);
  std::string all;
  for (const auto& one : terms.find(text)) all += text.substr(one.begin, one.end - one.begin) + "|";
  return all;
}

}  // namespace

TEST_CASE("terms are whole words, in any of their forms, the first of each") {
  CHECK(found_in("Four ranks, one rank.") == "ranks|");
  CHECK(found_in("Rank 0 franks the ranking") == "Rank|");
  CHECK(found_in("An all-reduce and a reduce") == "all-reduce|reduce|");
  CHECK(found_in("2Ψ/N") == "Ψ|");
  CHECK(found_in("G is not (g+1)") == "g|");
  CHECK(found_in("pre-reduced") == "");
  CHECK(found_in("") == "");
}

TEST_CASE("a term is explained where the mouse rests on it, also in a broken line") {
  test::Windowless window(300, 200, 1, ui::Mode::kDark, "进程");
  const ui::Terms terms(kWords);
  ui::set_terms(&terms);
  window.show([] { ui::paragraph("A text so long that it is broken, and then comes an all-reduce of it."); });
  window.frames();
  const ui::Item* item = ui::find_item("term.all-reduce");
  REQUIRE(item != nullptr);
  CHECK(item->min.y > 16);  // in another line than the first
  window.hover("term.all-reduce");
  CHECK(test::drawn_text().find("every rank receives") == std::string::npos);
  CHECK(ui::term_waits());
  window.frames(15);
  CHECK(test::drawn_text().find("all-reduce: A sum that every rank receives.") != std::string::npos);
  CHECK_FALSE(ui::term_waits());
  CHECK(window.faults() == "");
  window.mouse_to(ImVec2{290, 190});
  window.frames(3);
  CHECK(test::drawn_text().find("every rank receives") == std::string::npos);
  ui::set_terms(nullptr);
}

TEST_CASE("without terms a text is drawn as ever") {
  test::Windowless window(300, 200);
  window.in_window([] { ui::paragraph("An all-reduce."); });
  CHECK(ui::find_item("term.all-reduce") == nullptr);
}

TEST_CASE("words in Markdown are explained as in a paragraph, but for code and links") {
  test::Windowless window(300, 200);
  const ui::Terms terms(kWords);
  ui::set_terms(&terms);
  const ui::Markdown text("- Each **rank** calls `Ψ` and [reduce](<run:acts>).");
  window.show([&] { text.draw(280, "text"); });
  window.frames();
  REQUIRE(ui::find_item("term.rank") != nullptr);
  CHECK(ui::find_item("term.Ψ") == nullptr);
  CHECK(ui::find_item("term.reduce") == nullptr);
  window.mouse_to("term.rank");
  window.frames(15);
  CHECK(test::drawn_text().find("A process of the training.") != std::string::npos);
  ui::set_terms(nullptr);
}
