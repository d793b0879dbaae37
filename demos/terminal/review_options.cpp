#include "review_options.h"

#include <time.h>

#include <chrono>

#include "option_checks.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside {
namespace {

constexpr const char* kReviewFooter = R"(
Answer a number in any unit (112 GB, 104.3 GiB, 7e9*16), an option by its letter, lines by their number. Enter alone
shows the answer. Then rate it: again, hard, good, easy (1 to 4). u takes the last rating back, q ends, ? the long answer.
It works without a terminal too: lines of stdin are the answers.
Files
  $XDG_DATA_HOME/ringside/reviews.jsonl    every review (~/.local/share); all else follows from it
notes/interview.md says how cards come, and when they come again.
)";

// The begin of that day in UTC, ms; -1: it is no day.
int64_t begin_of(const std::string& date) {
  tm parts{};
  const char* end = strptime(date.c_str(), "%Y-%m-%d", &parts);
  if (end == nullptr || *end != '\0' || date.size() != 10) return -1;
  const tm wanted = parts;
  const time_t seconds = timegm(&parts);
  return parts.tm_mday == wanted.tm_mday ? int64_t{seconds} * 1000 : -1;
}

}  // namespace

void add_review_options(CLI::App& command, ReviewOptions& options) {
  command.add_option("--minutes", options.minutes, "How long, 1 to 240; default 10")
      ->type_name("M")
      ->check(number_in(1, 240));
  command.add_option("--topics", options.topics, "Topics or lessons, with commas between them; else all")
      ->type_name("NAMES")
      ->delimiter(',');
  command
      .add_option(
          "--date", options.date,
          "Of the interview: nothing is put off beyond it, and what is least known on that day comes first")
      ->type_name("2026-12-05");
  command
      .add_option("--retention", options.retention,
                  "Recall that a card may fall to before it comes again, 0.7 to 0.97; default 0.9")
      ->type_name("R")
      ->check(number_in(0.7, 0.97));
  command.add_flag("--list", options.list, "What would be asked, and nothing more");
  command.add_flag("--stats", options.stats, "How strong you are in each topic, as far as that can be told");
  command
      .add_option("--export", options.export_file, "All cards: FILE.tsv for Anki, FILE.json with the reviews")
      ->type_name("FILE")
      ->check(is_name());
  command.add_option("--import", options.import_file, "Reviews of a FILE.json that are not here yet")
      ->type_name("FILE")
      ->check(is_name());
  command.footer(kReviewFooter);
}

void add_mock_options(CLI::App& command, MockOptions& options) {
  command.add_option("--minutes", options.minutes, "How long it should take, 5 to 120; default 30")
      ->type_name("M")
      ->check(number_in(5, 120));
  command.add_option("--level", options.level, "junior, middle or senior; default middle")
      ->type_name("NAME")
      ->check(CLI::IsMember({"junior", "middle", "senior"}));
  command.add_option("--topics", options.topics, "Topics or lessons, with commas between them; else all")
      ->type_name("NAMES")
      ->delimiter(',');
  command.add_option("--seed", options.seed, "The same questions again")
      ->type_name("N")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 31));
}

void finish_mock_options(MockOptions& options) {
  if (options.seed < 0)
    options.seed = std::chrono::system_clock::now().time_since_epoch().count() / 1000 % 100'000;
}

void finish_review_options(ReviewOptions& options) {
  if (!options.date.empty()) {
    options.interview = begin_of(options.date);
    if (options.interview < 0)
      throw UsageError("--date " + as_typed(options.date) + ": a day is wanted, as 2026-12-05");
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    if (options.interview <= std::chrono::duration_cast<std::chrono::milliseconds>(now).count())
      throw UsageError("--date " + options.date + ": it has come; leave it out, or name a day ahead");
  }
  const std::string& file = options.export_file;
  if (!file.empty() && !file.ends_with(".tsv") && !file.ends_with(".json"))
    throw UsageError("--export " + as_typed(file) + ": FILE.tsv or FILE.json is wanted");
}

}  // namespace ringside
