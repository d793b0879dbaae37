#include "study_record.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch.h>
#include <nlohmann/json.hpp>

#include <temp_folder.h>

namespace ringside {
namespace {

using testing::TempFolder;
constexpr int64_t kDay = 24 * 60 * 60;

Attempt attempt(const std::string& prediction, bool correct, int64_t time = 0) {
  Attempt a;
  a.lesson = "zero";
  a.prediction = prediction;
  a.question = "How much?";
  a.questions = 7;
  a.scenario = "zero stage=2";
  a.answered_by = AnswerKind::kFormula;
  a.typed = "2P + 14P/N";
  a.value = 5.5;
  a.confidence = 2;
  a.right = 5.5;
  if (!correct) a.errors = {"forgot the fp32 master copy"};
  a.correct = correct;
  a.time = time;
  return a;
}

TEST_CASE("an attempt comes back from the disk as it was") {
  const TempFolder folder;
  {
    StudyRecord record(folder.path / "deep" / "er");
    record.add(attempt("p", false, 1'700'000'000));
    record.visit("zero", "guess");
    record.enter("zero");
    CHECK(record.message().empty());
  }
  const StudyRecord record(folder.path / "deep" / "er");
  REQUIRE(record.attempts().size() == 1);
  const Attempt& a = record.attempts()[0];
  CHECK(a.id.size() == 32);
  CHECK(a.lesson == "zero");
  CHECK(a.prediction == "p");
  CHECK(a.question == "How much?");
  CHECK(a.questions == 7);
  CHECK(a.scenario == "zero stage=2");
  CHECK(a.answered_by == AnswerKind::kFormula);
  CHECK(a.typed == "2P + 14P/N");
  CHECK(a.value == 5.5);
  CHECK(a.confidence == 2);
  CHECK(a.right == 5.5);
  CHECK(a.errors == std::vector<std::string>{"forgot the fp32 master copy"});
  CHECK_FALSE(a.correct);
  CHECK(a.time == 1'700'000'000);
  CHECK(record.last_lesson() == "zero");
  CHECK(record.progress("zero").steps == std::set<std::string>{"guess"});
}

TEST_CASE("an attempt in words comes back as it was, bounded; a file of before has none") {
  const TempFolder folder;
  {
    StudyRecord record(folder.path);
    Attempt a = attempt("words", false, 1'700'000'000);
    a.answered_by = AnswerKind::kOrder;
    a.typed = "";
    a.value = a.right = std::nan("");
    a.words = {"b", "a, \"Ψ\"", std::string(1000, 'x')};
    a.right_words = Words(100, "y");
    record.add(a);
    record.add(attempt("number", true, 1'700'000'001));
  }
  const StudyRecord record(folder.path);
  REQUIRE(record.attempts().size() == 2);
  const Attempt& a = record.attempts()[0];
  CHECK(a.answered_by == AnswerKind::kOrder);
  CHECK(std::isnan(a.value));
  CHECK(a.words == Words{"b", "a, \"Ψ\"", std::string(200, 'x')});
  CHECK(a.right_words == Words(16, "y"));
  CHECK(record.attempts()[1].words.empty());
  CHECK(record.to_redo("zero", 1'700'000'001 + kDay).size() == 1);
  std::ifstream file(folder.path / "progress.json");
  CHECK_FALSE(nlohmann::json::parse(file).at("attempts").at(1).contains("words"));
}

TEST_CASE("what JSON cannot say is kept harmless; two open rooms keep each other's attempts") {
  const TempFolder folder;
  {
    StudyRecord record(folder.path);
    Attempt a = attempt("p", false);
    a.value = std::numeric_limits<double>::infinity();
    a.typed = std::string("a\x1b[31m\n\xff") + std::string(10'000, 'x');
    a.confidence = 99;
    record.add(a);
  }
  const StudyRecord record(folder.path);
  REQUIRE(record.attempts().size() == 1);
  CHECK(std::isnan(record.attempts()[0].value));
  CHECK(record.attempts()[0].typed.starts_with("a[31m\uFFFDxxx"));
  CHECK(record.attempts()[0].typed.size() == 512);
  CHECK(record.attempts()[0].confidence == 3);
  const TempFolder shared;
  StudyRecord first(shared.path), second(shared.path);
  first.add(attempt("a", true, 100));
  second.add(attempt("b", true, 200));
  second.visit("zero", "watch");
  first.add(attempt("c", false, 300));
  CHECK(first.attempts().size() == 3);
  CHECK(StudyRecord(shared.path).attempts().size() == 3);
  CHECK(first.progress("zero").steps.contains("watch"));
}

TEST_CASE("rooms that write at once lose nothing; under a lock that stays it is kept in memory") {
  const TempFolder folder;
  std::vector<std::thread> rooms;
  for (int room = 0; room < 4; ++room) {
    rooms.emplace_back([&, room] {
      StudyRecord record(folder.path);
      for (int i = 0; i < 10; ++i) record.add(attempt("p", true, 1000 + room * 100 + i));
      for (int tries = 0; tries < 20 && !record.save(); ++tries) {
      }
    });
  }
  for (std::thread& room : rooms) room.join();
  CHECK(StudyRecord(folder.path).attempts().size() == 40);
  const TempFolder locked;
  const std::string lock = (locked.path / "progress.json.lock").string();
  const int held = ::open(lock.c_str(), O_CREAT | O_RDWR, 0600);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  StudyRecord record(locked.path);
  record.add(attempt("a", true));
  CHECK(record.message().find("tried again") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(locked.path / "progress.json"));
  ::close(held);
  record.add(attempt("b", true));
  CHECK(record.message().empty());
  CHECK(StudyRecord(locked.path).attempts().size() == 2);
}

TEST_CASE("a folder that cannot be made: kept in memory, and said") {
  const TempFolder folder;
  folder.write("file", "");
  StudyRecord record(folder.path / "file" / "inside");
  record.add(attempt("a", true));
  CHECK(record.attempts().size() == 1);
  CHECK(record.message().find("memory") != std::string::npos);
  std::filesystem::remove(folder.path / "file");
  CHECK(record.save());
  CHECK(StudyRecord(folder.path / "file" / "inside").attempts().size() == 1);
}

TEST_CASE("without a folder nothing is wrong; a file that is too large is not read") {
  StudyRecord record("");
  record.add(attempt("a", true));
  CHECK(record.message().empty());
  CHECK(record.progress("zero").asked == 1);
  const TempFolder folder;
  folder.write("progress.json", "{}");
  std::filesystem::resize_file(folder.path / "progress.json", KeptFile::kMostBytes + 1);
  const StudyRecord large(folder.path);
  CHECK(large.message().find("16 MiB") != std::string::npos);
  CHECK(std::filesystem::exists(folder.path / "progress.json.damaged-1"));
}

TEST_CASE("damaged files are moved aside, never overwritten") {
  const std::string deep = std::string(100'000, '[');
  for (const std::string& text :
       {std::string("{"), std::string(), std::string("[1]"), std::string("{\"kind\": \"recipes\"}"), deep,
        std::string("{\"kind\": \"ringside progress\", \"version\": \"x\"}")}) {
    const TempFolder folder;
    folder.write("progress.json.damaged-1", "older");
    folder.write("progress.json", text);
    StudyRecord record(folder.path);
    CHECK(record.message().find("progress.json.damaged-2") != std::string::npos);
    record.add(attempt("a", true));
    CHECK(folder.read("progress.json.damaged-1") == "older");
    CHECK(folder.read("progress.json.damaged-2") == text);
    CHECK(StudyRecord(folder.path).attempts().size() == 1);
    CHECK(record.message().find("damaged-2") != std::string::npos);  // still said
  }
}

TEST_CASE("what is no file is neither waited for nor moved; a newer version's file stays") {
  const TempFolder folder;
  REQUIRE(::mkfifo((folder.path / "progress.json").c_str(), 0600) == 0);
  StudyRecord record(folder.path);
  record.add(attempt("a", true));
  CHECK(record.message().find("is not a file") != std::string::npos);
  CHECK(std::filesystem::is_fifo(folder.path / "progress.json"));
  const TempFolder later;
  const std::string newer = R"({"kind": "ringside progress", "version": 2, "attempts": 7})";
  later.write("progress.json", newer);
  StudyRecord old(later.path);
  old.add(attempt("a", true));
  CHECK(old.message().find("newer") != std::string::npos);
  CHECK(later.read("progress.json") == newer);
}

TEST_CASE("one damaged entry costs that entry; the file as it was stays beside") {
  const TempFolder folder;
  {
    StudyRecord record(folder.path);
    record.add(attempt("a", true, 100));
    record.add(attempt("b", true, 200));
  }
  nlohmann::json document = nlohmann::json::parse(folder.read("progress.json"));
  document["attempts"][0]["time"] = "yesterday";
  const std::string damaged = document.dump();
  folder.write("progress.json", damaged);
  StudyRecord record(folder.path);
  CHECK(record.attempts().size() == 1);
  CHECK(folder.read("progress.json") == damaged);  // looked at, not changed
  record.add(attempt("c", true));
  CHECK(folder.read("progress.json.damaged-1") == damaged);
  CHECK(StudyRecord(folder.path).attempts().size() == 2);
  record.add(attempt("d", true));
  CHECK_FALSE(std::filesystem::exists(folder.path / "progress.json.damaged-2"));
}

TEST_CASE("only so many attempts are kept, the newest") {
  const TempFolder folder;
  nlohmann::json document = {{"kind", "ringside progress"},
                             {"version", 1},
                             {"visited", nlohmann::json::object()},
                             {"last_lesson", ""}};
  for (size_t i = 0; i < StudyRecord::kMostAttempts + 10; ++i)
    document["attempts"].push_back({{"id", std::to_string(i)},
                                    {"time", "2026-01-01T00:00:00Z"},
                                    {"lesson", "zero"},
                                    {"prediction", "p"},
                                    {"scenario", ""},
                                    {"answered_by", "number"},
                                    {"typed", ""},
                                    {"value", 1},
                                    {"confidence", 1},
                                    {"right", nullptr},
                                    {"errors", nlohmann::json::array()},
                                    {"correct", true}});
  folder.write("progress.json", document.dump());
  CHECK(StudyRecord(folder.path).attempts().size() == StudyRecord::kMostAttempts);
}

TEST_CASE("the ladder: 1 day after a wrong answer, then 3, 7 and 21 after right ones") {
  StudyRecord record("");
  const auto redo = [&](int64_t now) { return record.to_redo("zero", now); };
  record.add(attempt("never wrong", true, 1));
  CHECK(redo(100 * kDay).empty());

  int64_t t = 1000;
  record.add(attempt("p", false, t));
  REQUIRE(redo(t).size() == 1);
  CHECK_FALSE(redo(t)[0].due);
  CHECK(redo(t)[0].errors.size() == 1);
  CHECK(redo(t + kDay)[0].due);
  record.add(attempt("p", true, t + 60));  // having just seen the answer
  CHECK(redo(t + kDay)[0].due);
  CHECK(redo(t + kDay)[0].rungs == 0);

  for (const int64_t days : {1, 3, 7}) {
    t += days * kDay;
    record.add(attempt("p", true, t));
    REQUIRE(redo(t).size() == 1);
    CHECK_FALSE(redo(t)[0].due);
  }
  CHECK_FALSE(redo(t + 21 * kDay - 1)[0].due);
  CHECK(redo(t + 21 * kDay)[0].due);
  record.add(attempt("p", true, t + 21 * kDay));
  CHECK(redo(t + 400 * kDay).empty());
}

TEST_CASE("a wrong answer starts from the bottom, the urgent first; progress counts predictions") {
  StudyRecord record("");
  record.add(attempt("p", false, 1000));
  record.add(attempt("p", true, 1000 + kDay));
  record.add(attempt("p", false, 1000 + 2 * kDay));
  record.add(attempt("q", false, 1000 + kDay));
  const std::vector<Redo> list = record.to_redo("zero", 1000 + 3 * kDay);
  REQUIRE(list.size() == 2);
  CHECK(list[0].prediction == "q");
  CHECK(list[1].due_at == 1000 + 3 * kDay);
  CHECK(list[1].rungs == 0);
  CHECK(record.to_redo("another", 1).empty());
  StudyRecord counted("");
  counted.add(attempt("a", false, 1));
  counted.add(attempt("a", true, 2));
  counted.add(attempt("b", true, 3));
  counted.add(attempt("b", false, 4));
  CHECK(counted.progress("zero").asked == 2);
  CHECK(counted.progress("zero").right == 1);
  CHECK(counted.progress("zero").questions == 7);
  CHECK(counted.to_redo("zero", 5).front().question == "How much?");
  CHECK(clean_text("aé漢", 3) == "aé");
  CHECK(clean_text("aé漢", 5) == "aé");
  CHECK(clean_text("aé漢", 6) == "aé漢");
  CHECK(clean_text("\xc0\x80\xed\xa0\x80x", 100) == "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDx");
  CHECK(clean_text("a\x7f\u0085 b", 100) == "a b");
}

}  // namespace
}  // namespace ringside
