#include "review_options.h"

#include <chrono>

#include "option_checks.h"
#include "preparation.h"
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

constexpr const char* kPathFooter = R"(
Strength: each card that was asked counts once, by its first rating of the last day on which it was asked. The interval has
95 % of what the share of the topic's cards that you know can be; below five cards it cannot be told. Strong: all of it lies
above 70 %, weak: below.
Files
  $XDG_DATA_HOME/ringside/preparation.json    the day of the interview, the minutes a day
  $XDG_DATA_HOME/ringside/reviews.jsonl       every review, which all else follows from
)";

constexpr const char* kDrillFooter = R"(
The first time it writes DIR/NAME.cpp, or NAME.py: the task, and a function to fill in. What is there is never
written over. From then on it builds the file, runs it on small cases, and says which one fails and why. A file of
your own may stand behind NAME. The code runs in a process of its own, with 2 s of processor time and 1 GiB.
What was judged becomes a review: ringside review asks for it again when it is due.
Exit codes: 0 all cases agree, 3 it does not compile, 4 a case fails, 9 there is no compiler or no python3.
)";

constexpr const char* kOnCallFooter = R"(
A job has stopped, and there is its log. Look at it (head, tail, grep, lines, rank, ranks), then name the cause and the rank.
Each look counts; ranks, a picture of who is where, counts three. Behind the answer stand what happened, how one knows it,
and what ringside autopsy says of the same log.
Most incidents are generated: a fault is planned in a small job, whose log has the form of one of five launchers and of five
versions of PyTorch. Two right answers in a row bring more ranks and more lines that mean nothing, a wrong one fewer; how hard
it is does not tell the cause. Every fifth is public: lines that somebody posted, with the thread and what it found; where the
lines alone do not tell the cause, only a right answer counts.
Files
  $XDG_DATA_HOME/ringside/on_call.json     the level, and what was right of each kind
  $XDG_DATA_HOME/ringside/reviews.jsonl    a card for each kind of cause that was missed: ringside review
Examples
  ringside on_call --count 5               a few minutes
  ringside on_call --public                public ones alone
)";

int64_t drawn_seed() { return std::chrono::system_clock::now().time_since_epoch().count() / 1000 % 100'000; }

}  // namespace

void add_review_options(CLI::App& command, ReviewOptions& options) {
  add_value(command, "--minutes", options.minutes,
            "How long, 1 to 240; default: as ringside path has it, at first 10", "M", number_in(1, 240));
  add_value(command, "--topics", options.topics, "Topics or lessons, with commas between them; else all",
            "NAMES")
      ->delimiter(',');
  add_value(command, "--date", options.date,
            "Of the interview: nothing is put off beyond it, and what is least known on that day comes first",
            "YYYY-MM-DD");
  add_value(command, "--retention", options.retention,
            "Recall that a card may fall to before it comes again, 0.7 to 0.97; default 0.9", "R",
            number_in(0.7, 0.97));
  command.add_flag("--list", options.list, "What would be asked, and nothing more");
  command.add_flag("--stats", options.stats, "How strong you are in each topic, as far as that can be told");
  add_value(command, "--export", options.export_file,
            "All cards: FILE.tsv for Anki, FILE.json with the reviews", "FILE", is_name());
  add_value(command, "--import", options.import_file, "Reviews of a FILE.json that are not here yet", "FILE",
            is_name());
  command.footer(kReviewFooter);
}

void add_path_options(CLI::App& command, PathOptions& options) {
  add_value(command, "--interview", options.date,
            "Its day: the path then has a plan day by day. none forgets it. Kept", "YYYY-MM-DD");
  add_value(command, "--minutes", options.minutes,
            "For cards and reading, a day, 1 to 240; at first 10. Kept", "M",
            number_in(Preparation::kLeastMinutes, Preparation::kMostMinutes));
  command.add_flag("--placement", options.placement, "Twelve questions, to see where to begin");
  add_value(command, "--seed", options.seed, "Of the placement: the same questions again", "N",
            whole_in(int64_t{0}, int64_t{1} << 31));
  command.footer(kPathFooter);
}

void add_drill_options(CLI::App& command, DrillOptions& options) {
  add_value(command, "name", options.name, "A drill; without it, what there is", "", is_name());
  add_value(command, "file", options.file, "Your code, where it lies elsewhere", "FILE", is_name());
  add_value(command, "--folder", options.folder, "Where the file is written and looked for; default drills",
            "DIR", is_name());
  command.add_flag("--python", options.python, "Python instead of C++; it needs no package");
  command.add_flag("--solution", options.solution, "A short solution, to compare with yours");
  command.footer(kDrillFooter);
}

void add_mock_options(CLI::App& command, MockOptions& options) {
  add_value(command, "--minutes", options.minutes, "How long it should take, 5 to 120; default 30", "M",
            number_in(5, 120));
  add_value(command, "--level", options.level, "junior, middle or senior; default middle", "NAME",
            CLI::IsMember({"junior", "middle", "senior"}));
  add_value(command, "--topics", options.topics, "Topics or lessons, with commas between them; else all",
            "NAMES")
      ->delimiter(',');
  add_value(command, "--seed", options.seed, "The same questions again", "N",
            whole_in(int64_t{0}, int64_t{1} << 31));
}

void add_on_call_options(CLI::App& command, OnCallOptions& options) {
  add_value(command, "--count", options.count, "Incidents, 1 to 1000 [40]", "N", whole_in(1, 1000));
  add_value(command, "--seed", options.seed, "The same incidents again", "N",
            whole_in(int64_t{0}, int64_t{1} << 40));
  add_value(command, "--level", options.level, "Where it begins, 1 to 4 [where the last session ended]", "N",
            whole_in(1, 4));
  command.add_flag("--public", options.only_public,
                   "Only lines that people posted, with what their thread found");
  command.footer(kOnCallFooter);
}

void finish_on_call_options(OnCallOptions& options) {
  if (options.seed < 0) options.seed = drawn_seed();
}

void finish_mock_options(MockOptions& options) {
  if (options.seed < 0) options.seed = drawn_seed();
}

void finish_path_options(PathOptions& options) {
  if (options.seed >= 0 && !options.placement) throw UsageError("--seed is of --placement, which is missing");
  if (options.seed < 0) options.seed = drawn_seed();
  if (options.date == "none")
    options.interview = 0;
  else if (!options.date.empty())
    options.interview = read_interview("--interview", options.date, utc_now());
}

void finish_review_options(ReviewOptions& options) {
  if (!options.date.empty()) options.interview = read_interview("--date", options.date, utc_now());
  const std::string& file = options.export_file;
  if (!file.empty() && !file.ends_with(".tsv") && !file.ends_with(".json"))
    throw UsageError("--export " + as_typed(file) + ": FILE.tsv or FILE.json is wanted");
}

}  // namespace ringside
