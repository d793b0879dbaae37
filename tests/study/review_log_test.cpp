#include "review_log.h"

#include <catch.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "temp_folder.h"

namespace ringside {
namespace {

using testing::TempFolder;

constexpr int64_t kNoon = 1'767'268'800'000;
constexpr const char* kLog = "reviews.jsonl";

ReviewEntry good(const std::string& card, int64_t at = kNoon) {
  return {.card = card, .at = at, .ms = 1200, .rating = Rating::kGood};
}

std::multiset<std::string> ids_in(const TempFolder& folder) {
  std::multiset<std::string> ids;
  for (const ReviewEntry& entry : ReviewLog(folder.path).read()) ids.insert(entry.id);
  return ids;
}

TEST_CASE("what was reviewed is there again, in its order, without what was undone") {
  const TempFolder folder;
  ReviewLog log(folder.path);
  CHECK(log.read().empty());
  const std::string late = log.append(good("late", kNoon + 1));
  log.append(
      {.card = "early \"x\"", .at = kNoon, .ms = 7, .rating = Rating::kAgain, .error = "forgot the master"});
  const std::string wrong = log.append(good("early", kNoon + 2));
  log.undo(wrong, kNoon + 3);
  const auto entries = ReviewLog(folder.path).read();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].card == "early \"x\"");
  CHECK(entries[0].rating == Rating::kAgain);
  CHECK(entries[0].ms == 7);
  CHECK(entries[0].error == "forgot the master");
  CHECK(entries[1].id == late);
  CHECK(ReviewLog({}).read().empty());
  CHECK(ReviewLog({}).append(good("nowhere")) != "");
}

TEST_CASE("a replay gives the same state, and an undone review leaves none") {
  const TempFolder folder;
  ReviewLog log(folder.path);
  RandomStream draws(7, "reviews");
  FsrsOptions options;
  std::map<std::string, CardMemory> live;
  for (int i = 0; i < 60; ++i) {
    ReviewEntry entry = good("card " + std::to_string(draws.below(5)), kNoon + i * kDayMs / 2);
    entry.rating = static_cast<Rating>(draws.below(4));
    live[entry.card] = next_memory(options, live[entry.card], entry);
    log.append(entry);
    if (i % 10 == 0) log.undo(log.append(good("card 0", entry.at + 1)), entry.at + 2);
  }
  CHECK(replay(ReviewLog(folder.path).read(), options) == live);
}

TEST_CASE("wherever the last line is torn, the lines before it count, and the next writer goes on") {
  const TempFolder folder;
  ReviewLog(folder.path).append(good("one"));
  ReviewLog(folder.path).append(good("two"));
  const std::string whole = folder.read(kLog);
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    CAPTURE(bytes);
    folder.write(kLog, whole.substr(0, bytes));
    const auto lines = std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes), '\n');
    const size_t kept = lines > 1 ? static_cast<size_t>(lines) - 1 : 0;
    ReviewLog log(folder.path);
    REQUIRE(log.read().size() == kept);
    const bool torn = bytes > 0 && whole[bytes - 1] != '\n';
    REQUIRE(log.note().empty() != torn);
    log.append(good("three"));
    REQUIRE(log.note().empty() != torn);
    const auto entries = log.read();
    REQUIRE(entries.size() == kept + 1);
    REQUIRE(entries.back().card == "three");
    REQUIRE(log.note().empty());
  }
}

TEST_CASE("an entry that stands twice counts once, a damaged one is skipped and told") {
  const TempFolder folder;
  ReviewLog(folder.path).append(good("one"));
  const std::string text = folder.read(kLog);
  const std::string entry = text.substr(text.find('\n') + 1);
  folder.write(kLog, text + entry + "{\"id\":1}\n" +
                         R"({"id":"b","card":"c","at":5,"rating":9,"ms":1})"
                         "\n");
  ReviewLog log(folder.path);
  CHECK(log.read().size() == 1);
  CHECK(log.note() == folder.file(kLog) + ": 2 lines cannot be read, and are skipped");
}

TEST_CASE("what is no log of reviews is refused by name, and left alone") {
  const TempFolder folder;
  for (const std::string text : {"{\"kind\":\"other\",\"version\":1}\n", "plain\n",
                                 "{\"kind\":\"ringside reviews\",\"version\":2}\n"}) {
    folder.write(kLog, text);
    CHECK_THROWS_WITH(ReviewLog(folder.path).read(), ContainsSubstring(folder.file(kLog)));
    CHECK_THROWS_AS(ReviewLog(folder.path).append(good("one")), InputError);
    CHECK(folder.read(kLog) == text);
  }
  folder.write(kLog, std::string(ReviewLog::kMostLine + 10, 'x'));
  CHECK_THROWS_WITH(ReviewLog(folder.path).append(good("one")),
                    ContainsSubstring("does not end with a line"));
  std::filesystem::remove(folder.file(kLog));
  std::filesystem::create_directory(folder.file(kLog));
  CHECK_THROWS_WITH(ReviewLog(folder.path).read(), ContainsSubstring("it is not a file"));
  CHECK_THROWS_AS(ReviewLog(folder.path).append(good("one")), InputError);
}

// A process that reviews until it is killed, and says the id of each review that was acknowledged.
[[noreturn]] void review_for_ever(const std::filesystem::path& folder, int pipe) {
  ReviewLog log(folder);
  for (int64_t i = 0;; ++i) {
    const std::string id = log.append(good("card " + std::to_string(i % 7), kNoon + i));
    if (::write(pipe, id.data(), id.size()) < 0) _exit(1);
  }
}

std::vector<std::string> ids_until_killed(const std::filesystem::path& folder, int64_t microseconds) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) review_for_ever(folder, ends[1]);
  ::close(ends[1]);
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  std::string said;
  char bytes[4096];
  for (ssize_t n; (n = ::read(ends[0], bytes, sizeof bytes)) > 0;) said.append(bytes, static_cast<size_t>(n));
  ::close(ends[0]);
  std::vector<std::string> ids;
  for (size_t i = 0; i + 32 <= said.size(); i += 32) ids.push_back(said.substr(i, 32));
  return ids;
}

TEST_CASE("killed at 200 moments and more: nothing acknowledged is lost, nothing counts twice") {
  const TempFolder folder;
  RandomStream moments(11, "kill");
  std::set<std::string> acknowledged;
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);  // on a machine that is busy
  size_t kills = 0;
  for (; kills < 200 || (acknowledged.size() <= 50 && std::chrono::steady_clock::now() < end); ++kills)
    for (const std::string& id : ids_until_killed(folder.path, static_cast<int64_t>(moments.below(9000))))
      REQUIRE(acknowledged.insert(id).second);
  const std::multiset<std::string> kept = ids_in(folder);
  const std::set<std::string> once(kept.begin(), kept.end());
  CHECK(kept.size() == once.size());
  CHECK(std::includes(once.begin(), once.end(), acknowledged.begin(), acknowledged.end()));
  CHECK(once.size() <= acknowledged.size() + kills);  // one a kill may be kept that nobody was told of
  CHECK(acknowledged.size() > 50);
}

TEST_CASE("four windows at once keep all that each wrote") {
  const TempFolder folder;
  std::vector<std::thread> windows;
  for (int w = 0; w < 4; ++w)
    windows.emplace_back([&, w] {
      ReviewLog log(folder.path);
      for (int i = 0; i < 25; ++i) log.append(good("window " + std::to_string(w)));
    });
  for (std::thread& window : windows) window.join();
  ReviewLog log(folder.path);
  CHECK(log.read().size() == 100);
  CHECK(log.note().empty());  // one header, no line in the middle of another
  const auto ids = ids_in(folder);
  CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == 100);
}

TEST_CASE("a judged answer is kept once; a right one again where the card is due, a wrong one not") {
  const TempFolder folder;
  ReviewLog log(folder.path);
  ReviewEntry wrong = good("one");
  wrong.rating = Rating::kAgain;
  const CardMemory memory = keep_judged(log, wrong);
  wrong.at = memory.due;
  keep_judged(log, wrong);
  CHECK(log.read().size() == 1);
  const CardMemory right = keep_judged(log, good("one", memory.due));
  keep_judged(log, good("one", right.due - 1));
  CHECK(log.read().size() == 2);
  keep_judged(log, good("one", right.due));
  CHECK(log.read().size() == 3);
}

TEST_CASE("a disk that is full is told, and what was kept stays whole") {
  const TempFolder folder;
  ReviewLog(folder.path).append(good("one"));
  const std::string before = folder.read(kLog);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{before.size() + 20, before.size() + 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      ReviewLog(folder.path).append(good("two"));
    } catch (const InputError& error) {
      _exit(std::string(error.what()).find("the review is not kept") != std::string::npos ? 7 : 1);
    }
    _exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 7);
  CHECK(folder.read(kLog) == before);
}

}  // namespace
}  // namespace ringside
