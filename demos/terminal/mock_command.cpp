// `ringside mock`: a mock interview, a line an answer; then a report, whose points go into the cards.
#include <ostream>

#include "asker.h"
#include "commands.h"
#include "folders.h"
#include "mock_interview.h"
#include "preparation.h"
#include "ringside/lesson/tr.h"

namespace ringside {
namespace {

void report(const MockInterview& interview, Asker& page) {
  for (const MockPart& part : interview.parts()) {
    page.line((part.good ? "+ " : "- ") + part.name + ": " + part.result + tr("   {:.0f} s", part.seconds));
    if (!part.good) page.line(tr("review: {}", part.again), 4);
  }
  page.line(tr("{} of {} parts went well. The judged ones are in the cards: ringside review.",
               interview.good_parts(), interview.parts().size()));
  page.line(tr("The same again: ringside mock {}", interview.setup().in_words()));
}

}  // namespace

ExitCode mock_interview(const Options& options, std::ostream& out) {
  const MockOptions& asked = options.mock;
  const std::filesystem::path data = home_folders().data;
  const StudyRecord record(data);
  ReviewLog log(data);
  log.check_that_it_keeps();
  MockInterview interview(log, record,
                          {.seed = uint64_t(asked.seed),
                           .level = *from_text<Seniority>(asked.level),
                           .minutes = asked.minutes,
                           .topics = asked.topics},
                          utc_now());
  out << tr("A mock interview, {}, seed {}. Lines are answers; Enter alone is none; q ends.", asked.level,
            asked.seed)
      << '\n';
  Asker page(options, out);
  bool fresh = true;  // the question was not put yet
  while (interview.stage() != MockStage::kReport) {
    if (fresh && !interview.heading().empty()) {
      page.blank();
      page.bold(interview.heading());
      page.question(interview.question());
      if (interview.asked() != nullptr) page.options(*interview.asked());
    }
    const MockStage before = interview.stage();
    const size_t parts = interview.parts().size();
    if (const auto line = page.read(interview.prompt())) {
      for (const std::string& back : interview.answer(*line, utc_now())) page.line(back);
    } else {
      page.blank();
      interview.leave();
    }
    fresh = interview.stage() != before || interview.parts().size() != parts;
  }
  page.blank();
  page.bold(interview.heading());
  report(interview, page);
  return page.interrupted() ? ExitCode::kInterrupted : ExitCode::kOk;
}

}  // namespace ringside
