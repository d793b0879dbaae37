#include "room_prepare.h"

#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/lesson/tr.h"
#include "ringside/lesson/word_question.h"

namespace ringside::gui {

Prepare::Prepare(const std::filesystem::path& data_folder, const StudyRecord& record)
    : preparation(data_folder), log_(data_folder), record_(record) {
  guarded([&] {
    const int64_t now = utc_now();
    for (const auto& [card, memory] : replay(log_.read(), {})) due += memory.due <= now;
  });
}

void Prepare::guarded(const std::function<void()>& act) {
  try {
    fault.clear();
    act();
  } catch (const Error& error) {
    fault = error.what();
  }
}

void Prepare::refresh() {
  const std::vector<ReviewEntry> entries = log_.read();
  const SessionWishes wishes = wishes_of(preparation.get(), utc_now());
  const std::vector<Card> cards = session_cards(record_, entries, {});
  path = study_path(cards, entries, record_, wishes);
  days = plan_days(path, cards, entries, wishes);
  due = path.today.due;
  map = map_of(path);
  ++version;
  date = preparation.get().interview > 0 ? date_of(preparation.get().interview) : "";
  fault = log_.note();
}

void Prepare::show(PreparePart wanted_part) {
  open = true;
  part = wanted_part;
  focus = true;
  guarded([&] { refresh(); });
}

void Prepare::clear_answer() {
  typed.clear();
  mistake.clear();
  words.clear();
  rows.restart();
  focus = true;
  if (const AskedCard* now = asked(); now != nullptr && now->spec.words)
    if (now->spec.words->kind == AnswerKind::kOrder) words = options_of(*now->spec.words, now->config);
  if (interviewing() && mock->stage() == MockStage::kCorrection) words = mock->found();
}

void Prepare::begin(ReviewSession::Setup setup) {
  part = PreparePart::kToday;
  rated.clear();
  session.emplace(log_, record_, std::move(setup), utc_now());
  clear_answer();
}

void Prepare::review(const std::string& of) {
  open = true;
  guarded([&] {
    refresh();
    const std::vector<ReviewEntry> entries = log_.read();
    SessionWishes wishes = wishes_of(preparation.get(), utc_now());
    if (!of.empty()) wishes.topics = {of};
    ReviewSession::Setup setup{.entries = entries, .fsrs = wishes.fsrs};
    for (const PlannedCard& one :
         plan_session(session_cards(record_, entries, wishes.topics), entries, wishes).cards)
      setup.cards.push_back(one.card);
    wanted = of;
    placement.reset();
    begin(std::move(setup));
  });
}

void Prepare::place() {
  open = true;
  guarded([&] {
    const auto seed = uint64_t(utc_now() % 100'000);
    const std::vector<Card> cards = placement_cards(seed);
    placement = cards.size();
    begin({cards, log_.read(), wishes_of(preparation.get(), utc_now()).fsrs, seed});
  });
}

void Prepare::hold_mock(uint64_t seed) {
  open = true;
  part = PreparePart::kInterview;
  guarded([&] {
    mock.emplace(log_, record_,
                 MockInterview::Setup{.seed = seed, .level = level, .minutes = double(minutes)}, utc_now());
    mock_began = mock->asked_at();
    said_back.clear();
    clear_answer();
  });
}

const AskedCard* Prepare::asked() const {
  if (reviewing()) return session->shown() ? nullptr : &session->asked();
  return interviewing() && said_back.empty() ? mock->asked() : nullptr;
}

bool Prepare::by_rows() const {
  if (interviewing() && mock->stage() == MockStage::kCorrection) return true;
  const AskedCard* now = asked();
  return now != nullptr && !now->by_person && now->spec.words && now->spec.words->kind != AnswerKind::kText;
}

void Prepare::answer(const std::string& line) {
  guarded([&] {
    if (reviewing()) {
      if (session->shown()) return;
      if (line.empty() || session->asked().by_person) return session->show(utc_now());
      mistake = session->answer(line, utc_now());
      focus = !mistake.empty();
    } else if (interviewing()) {
      const MockStage before = mock->stage();
      const size_t parts = mock->parts().size();
      const std::vector<std::string> back = mock->answer(line, utc_now());
      if (mock->stage() == before && mock->parts().size() == parts) {
        mistake = back.empty() ? "" : back.front();
        focus = true;
        return;
      }
      // What was found and missed of the opening is shown as rows.
      if (mock->stage() != MockStage::kCorrection) said_back = back;
      if (!said_back.empty() && !line.empty()) said_back.insert(said_back.begin(), tr("You said: {}", line));
      clear_answer();
    }
  });
}

// As it would be typed: letters of options, the number of a line, the numbers of points that are turned
// around.
void Prepare::answer_words() {
  if (words.empty() && !(interviewing() && mock->stage() == MockStage::kCorrection)) return;
  std::string line;
  const auto add = [&](const std::string& word) { line += (line.empty() ? "" : " ") + word; };
  if (const AskedCard* now = asked()) {
    const Words options = options_of(*now->spec.words, now->config);
    const bool is_line = now->spec.words->kind == AnswerKind::kLine;
    for (const std::string& word : words)
      add(is_line ? word
                  : std::string(1, letter_of(size_t(std::ranges::find(options, word) - options.begin()))));
  } else if (mock) {
    const auto is_in = [](const Words& all, const std::string& one) {
      return std::ranges::find(all, one) != all.end();
    };
    for (size_t i = 0; i < mock->points().size(); ++i) {
      const std::string& point = mock->points()[i];
      if (is_in(words, point) != is_in(mock->found(), point)) add(std::to_string(i + 1));
    }
  }
  answer(line);
}

void Prepare::show_answer() {
  if (reviewing() && !session->shown()) session->show(utc_now());
}

void Prepare::rate(Rating rating) {
  if (!reviewing() || !session->shown()) return;
  guarded([&] {
    const ReviewSession::Rated now = session->rate(rating, utc_now());
    rated = tr("Kept. It comes again in {}.", in_short_time(now.again_in));
    if (now.leech)
      rated += tr(" It was forgotten {} times: the lesson {} may help more.", now.lapses, now.lesson);
    clear_answer();
    if (session->over()) refresh();
  });
}

void Prepare::undo() {
  if (part != PreparePart::kToday || !session) return;
  guarded([&] {
    rated = session->undo(utc_now()) ? tr("Taken back.") : tr("There is nothing to take back.");
    clear_answer();
  });
}

void Prepare::go_on() {
  if (!mock) return;
  said_back.clear();
  mock->begin(utc_now());
  clear_answer();
  if (mock->stage() == MockStage::kReport) guarded([&] { refresh(); });
}

void Prepare::set_day(const std::string& day, double wanted_minutes) {
  guarded([&] {
    Preparation next = preparation.get();
    next.interview = day.empty() ? 0 : read_interview(tr("interview"), day, utc_now());
    next.minutes = wanted_minutes;
    if (!preparation.set(next)) throw InputError(preparation.message());
    refresh();
  });
}

}  // namespace ringside::gui
