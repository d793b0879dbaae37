#include "exchange.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "kept_file.h"
#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"
#include "ringside/lesson/word_question.h"

namespace ringside::inline kit {
namespace {

constexpr uint64_t kSeed = 1;
constexpr size_t kMostFile = size_t{64} << 20, kMostReviews = 500'000;

std::string html(const std::string& text) {
  std::string out;
  for (const char c : as_markup(text)) out += c == '\n' ? "<br>" : c == '\t' ? " " : std::string(1, c);
  return out;
}

std::string front_of(const AskedCard& card) {
  std::string text = card.spec.question;
  if (!card.spec.words) return text + (card.spec.unit.empty() ? "" : " [" + card.spec.unit + "]");
  size_t place = 0;
  for (const std::string& option : options_of(*card.spec.words, card.config)) {
    text += '\n';
    text += card.spec.words->kind == AnswerKind::kLine ? std::to_string(++place)
                                                       : std::string(1, letter_of(place++));
    text += ") " + option;
  }
  return text;
}

std::string back_of(const AskedCard& card) {
  std::string text = card.ten_seconds;
  for (const std::string& part : {card.minute, card.strong, card.see})
    if (!part.empty()) text += "\n" + part;
  return text;
}

std::string tags_of(const Card& card) {
  std::string tags = "ringside " + card.topic + " " + std::string(to_string(card.kind)) + " level" +
                     std::to_string(card.level);
  return tags;
}

Json card_json(const Card& card, const AskedCard& asked) {
  return {{"id", card.id},
          {"topic", card.topic},
          {"kind", std::string(to_string(card.kind))},
          {"level", card.level},
          {"lesson", card.lesson},
          {"sources", card.sources},
          {"front", front_of(asked)},
          {"ten_seconds", asked.ten_seconds},
          {"minute", asked.minute},
          {"five_minutes", asked.points},
          {"strong", asked.strong},
          {"see", asked.see},
          {"next", asked.next}};
}

}  // namespace

void write_anki(const std::vector<Card>& cards, const StudyRecord& record,
                const std::function<std::string(const Card&)>& picture, std::ostream& out) {
  out << "#separator:Tab\n#html:true\n#notetype:Basic\n#deck:Ringside\n#columns:Id\tFront\tBack\tTags\n#guid "
         "column:1\n#tags column:4\n";
  for (const Card& card : cards) {
    const auto asked = ask_card(card, kSeed, record);
    if (!asked) continue;
    const std::string file = picture(card);
    out << html(card.id) << '\t' << html(front_of(*asked)) << '\t' << html(back_of(*asked))
        << (file.empty() ? "" : "<br><img src=\"" + html(file) + "\">") << '\t' << html(tags_of(card))
        << '\n';
  }
}

void write_bank(const std::vector<Card>& cards, const StudyRecord& record,
                const std::vector<ReviewEntry>& log, std::ostream& out) {
  Json list = Json::array(), reviews = Json::array();
  for (const Card& card : cards)
    if (const auto asked = ask_card(card, kSeed, record)) list.push_back(card_json(card, *asked));
  for (const ReviewEntry& one : log)
    reviews.push_back({{"id", one.id},
                       {"card", one.card},
                       {"at", one.at},
                       {"rating", int(one.rating) + 1},
                       {"ms", one.ms},
                       {"error", one.error},
                       {"scheduler", "fsrs-6"}});
  const Json document = {{"kind", "ringside cards"}, {"version", 1}, {"cards", list}, {"reviews", reviews}};
  out << document.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

std::vector<ReviewEntry> read_bank_reviews(const std::filesystem::path& file) {
  const std::string text = read_file(file, kMostFile);
  try {
    const Json json = parse_json(text, {kMostFile, 6, 20'000'000});
    const JsonObject document(json);
    if (document.text("kind") != "ringside cards") throw JsonRejected("it is no bank of Ringside's cards");
    document.integer("version", 1, 1);
    std::vector<ReviewEntry> all;
    for (const Json& one : document.array("reviews", 0, kMostReviews)) {
      const JsonObject object(one, "reviews");
      ReviewEntry entry{.id = clean_text(object.text("id", 64), 64),
                        .card = clean_text(object.text("card", ReviewLog::kMostCard), ReviewLog::kMostCard)};
      entry.at = object.integer("at", 0, int64_t{1} << 53);
      entry.ms = object.integer("ms", 0, int64_t{1} << 40);
      entry.rating = static_cast<Rating>(object.integer("rating", 1, 4) - 1);
      entry.error = clean_text(object.text_or_empty("error", kMostWordBytes), kMostWordBytes);
      all.push_back(std::move(entry));
    }
    return all;
  } catch (const JsonRejected& rejected) {
    throw InputError(file.string() + ": " + rejected.why);
  }
}

}  // namespace ringside::inline kit
