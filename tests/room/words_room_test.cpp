// Questions in words in the room: each kind answered by a script, by keys alone and by mouse alone.
#include "in_room.h"
#include "ringside/base/error.h"
#include "ringside/widgets/items.h"

namespace ringside::gui {
namespace {

using ui::Key;

// `number` of a question's list of words, as the state has it.
Words words_at(const InRoom& in, const std::string& pointer) { return in.at<Words>(pointer.c_str()); }
Words guess(const InRoom& in, const std::string& id) { return words_at(in, "/answers/" + id + "/guess"); }

std::string caption_of(InRoom& in, const std::string& command) {
  in.command(command);
  in.command("step reveal");
  return in.at<std::string>("/caption");
}

// As the questions stand in the lesson of the tests.
struct Case {
  const char *id, *right, *wrong, *error;
  Words answer;
};
const Case kAsked[] = {
    {"order", "Ψ|a, b|c", "c | a, b | Ψ", "backwards", {"Ψ", "a, b", "c"}},
    {"choice", "raises StopIteration", "3", "return hands the values on", {"raises StopIteration"}},
    {"choices", "view|expand", "view", "expand copies", {"view", "expand"}},
    {"line", "3", "4", "calling runs it", {"3"}},
    {"text", "[0,1]", "RANGE(0, 2)", "the iterator is printed", {"[0, 1]"}},
};

ImVec2 middle(const std::string& item) {
  const ui::Item* found = ui::find_item(item);
  REQUIRE(found != nullptr);
  return {(found->min.x + found->max.x) / 2, (found->min.y + found->max.y) / 2};
}

}  // namespace

TEST_CASE("without a guess the answer is told; answered by a script each error has its name") {
  InRoom in(options_for("faults"));
  REQUIRE(in.until([](const auto& s) { return s.at("answers").at("line").contains("measured"); }));
  in.command("numbers 1");  // one of its claims has bytes that are no text
  CHECK(caption_of(in, "ask line") == "Measured: line 3: return 2.");
  CHECK(caption_of(in, "ask choice") == "Calculated: raises StopIteration.");
  for (const Case& one : kAsked) {
    INFO(one.id);
    const std::string predict = std::string("predict ") + one.id + " ";
    CHECK(caption_of(in, predict + one.wrong) == std::string("Your error has a name: ") + one.error + ".");
    CHECK(caption_of(in, predict + one.right).starts_with("Right: "));
    CHECK(guess(in, one.id) == one.answer);
    CHECK(in.faults() == "");
  }
  CHECK(caption_of(in, "predict choices clone|contiguous") == "Wrong: the answer is view, expand.");
  CHECK(caption_of(in, "predict order 2|1|3") == "Right: Ψ → a, b → c.");
  CHECK_THROWS_AS(in.room->command("predict choice nothing"), UsageError);
  CHECK_THROWS_AS(in.room->command("predict order c"), UsageError);
  CHECK_THROWS_AS(in.room->command("predict line 5"), UsageError);
  CHECK_THROWS_AS(in.room->command("predict text  "), UsageError);
  CHECK(guess(in, "order") == Words{"Ψ", "a, b", "c"});  // the refused one changed nothing
}

TEST_CASE("each kind of question by keys alone") {
  Ended in(options_for("faults"));
  in.command("ask choice");
  in.key(Key::kF1);
  in.key(Key::kEscape);  // the help: what is read there does not cost the answer its keys
  CHECK_FALSE(ui::find_item("next")->enabled);
  in.key(Key::k2);
  CHECK(in.at<std::string>("/step") == "Guess");  // the digit is an answer's here
  CHECK(ui::find_item("next")->enabled);
  in.key(Key::kEnter);
  CHECK(guess(in, "choice") == Words{"raises StopIteration"});
  in.key(Key::k2);
  CHECK(in.at<std::string>("/step") == "Watch");  // and a step's once the answer is kept

  in.command("ask choice");
  in.key(Key::kEscape);
  in.key(Key::k4);
  CHECK(in.at<std::string>("/step") == "Break it");

  in.command("ask choices");
  in.key(Key::kEnter);
  CHECK_FALSE(is_guessed(in, "choices"));  // nothing is chosen yet
  in.key(Key::kSpace);
  in.key(Key::kDown);
  in.key(Key::kDown);
  in.key(Key::kSpace);
  in.key(Key::k4);
  in.key(Key::k4);
  in.key(Key::kEnter);
  CHECK(guess(in, "choices") == Words{"view", "expand"});

  in.command("ask order");
  in.key(Key::kDown, false, true);
  in.key(Key::kEnter);
  CHECK(guess(in, "order") == Words{"Ψ", "a, b", "c"});

  in.command("ask line");
  in.key(Key::kDown);
  in.key(Key::kDown);
  in.key(Key::kDown);
  in.key(Key::kEnter);
  CHECK(guess(in, "line") == Words{"3"});

  in.command("ask text");
  in.frames(2);
  in.type("[0, 1]");
  in.key(Key::kEnter);
  CHECK(guess(in, "text") == Words{"[0, 1]"});
}

TEST_CASE("the Enter that comes to a question does not answer it") {
  Ended in(options_for("faults"));
  in.command("predict none 1");
  in.command("step reveal");
  in.key(Key::kEnter);  // next question: an order, which could be kept as it stands
  CHECK(in.at<std::string>("/question") == "order");
  CHECK_FALSE(is_guessed(in, "order"));
}

TEST_CASE("each kind of question by mouse alone") {
  Ended in(options_for("faults"));
  in.click("step=Guess");
  in.click("question=choice");
  in.click("word.1");
  in.click("word.2");
  in.click("next");
  CHECK(guess(in, "choice") == Words{"raises StopIteration"});
  in.key(Key::k2);
  CHECK(in.at<std::string>("/step") == "Watch");  // kept by mouse: digits are steps again
  in.click("step=Guess");

  in.click("question=choices");
  for (const char* row : {"word.3", "word.2", "word.1", "word.2"}) in.click(row);
  in.click("next");
  CHECK(guess(in, "choices") == Words{"view", "expand"});

  in.click("question=order");
  in.drag(middle("word.3"), middle("word.1"));
  in.click("next");
  CHECK(guess(in, "order") == Words{"c", "a, b", "Ψ"});
  in.click("word.1.down");
  in.click("word.3.up");
  in.click("next");
  CHECK(guess(in, "order") == Words{"a, b", "Ψ", "c"});

  in.click("question=line");
  in.click("word.3");
  in.click("next");
  CHECK(guess(in, "line") == Words{"3"});
}

TEST_CASE("what is said in words is kept in the file, with its errors") {
  const TempFolder folder;
  RoomOptions options = options_for("faults");
  options.data_folder = folder.path;
  InRoom in(options);
  in.command("predict order c|a, b|Ψ");
  std::ifstream file(folder.path / "progress.json");
  const auto attempt = nlohmann::json::parse(file).at("attempts").at(0);
  CHECK(attempt.at("answered_by") == "order");
  CHECK(attempt.at("words") == Words{"c", "a, b", "Ψ"});
  CHECK(attempt.at("right_words") == Words{"Ψ", "a, b", "c"});
  CHECK(attempt.at("errors") == Words{"backwards"});
  CHECK(attempt.at("correct") == false);
}

TEST_CASE("questions in words are drawn without a fault at every size, before and after") {
  const auto [width, height] = GENERATE(std::pair{1440.f, 900.f}, std::pair{1024.f, 640.f});
  const float scale = GENERATE(1.f, 2.f);
  const ui::Mode mode = GENERATE(ui::Mode::kDark, ui::Mode::kLight);
  RoomOptions options = options_for("faults");
  options.mode = mode;
  InRoom in(options, width * scale, height * scale, scale);
  REQUIRE(in.until([](const auto& s) { return s.at("answers").at("line").contains("measured"); }));
  in.command("numbers 1");  // one of its claims has bytes that are no text
  for (const Case& one : kAsked) {
    INFO(one.id << " " << width << " x" << scale);
    in.command(std::string("ask ") + one.id);
    CHECK(in.faults() == "");
    for (const char* answer : {one.right, one.wrong}) {
      in.command(std::string("predict ") + one.id + " " + answer);
      CHECK(in.faults() == "");
      in.command("step reveal");
      CHECK(in.faults() == "");
    }
  }
}

}  // namespace ringside::gui
