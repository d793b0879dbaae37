#include "study_record_json.h"

#include <time.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "ringside/base/error.h"
#include "ringside/base/field.h"
#include "ringside/lesson/word_question.h"

namespace ringside::inline kit {
namespace {

using Json = nlohmann::json;

constexpr size_t kTextBytes = 512, kMostErrors = 8, kErrorBytes = 128;
constexpr int kMostQuestions = 1000;
constexpr size_t kMostRead = 4 * StudyRecord::kMostAttempts;

// Seconds since 1970 as ISO 8601, and back; -1 for what is no such time.
std::string utc(int64_t seconds) {
  const time_t time = seconds;
  tm parts{};
  char text[32];
  if (gmtime_r(&time, &parts) == nullptr) return "";
  return std::string(text, strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}
int64_t from_utc(const std::string& text) {
  tm parts{};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end != nullptr && *end == '\0' ? timegm(&parts) : -1;
}

// JSON has no NaN: null stands for it.
double number_of(const Json& object, const char* key) {
  const Json& value = object.at(key);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

AnswerKind kind_of(const std::string& name) {
  const auto kind = from_text<AnswerKind>(name);
  if (!kind) throw InputError("no way to answer");
  return *kind;
}

Words bounded(Words words) {
  if (words.size() > kMostOptions) words.resize(kMostOptions);
  for (std::string& word : words) word = clean_text(word, kMostWordBytes);
  return words;
}

// Throws whatever where a field is missing or is not what it should be.
Attempt read_attempt(const Json& object) {
  Attempt attempt;
  attempt.id = clean_text(object.at("id").get<std::string>(), kNameBytes);
  object.at("lesson").get_to(attempt.lesson);
  object.at("prediction").get_to(attempt.prediction);
  // Older files have neither.
  attempt.question = object.value("question", "");
  attempt.questions = int(std::clamp<int64_t>(object.value<int64_t>("questions", 0), 0, kMostQuestions));
  object.at("scenario").get_to(attempt.scenario);
  attempt.answered_by = kind_of(object.at("answered_by").get<std::string>());
  object.at("typed").get_to(attempt.typed);
  attempt.value = number_of(object, "value");
  attempt.confidence = int(std::clamp<int64_t>(object.at("confidence").get<int64_t>(), 0, 3));
  attempt.right = number_of(object, "right");
  // Of questions in words; absent else.
  attempt.words = object.value("words", Words());
  attempt.right_words = object.value("right_words", Words());
  object.at("correct").get_to(attempt.correct);
  object.at("errors").get_to(attempt.errors);
  attempt.time = from_utc(object.at("time").get<std::string>());
  attempt = bounded(std::move(attempt));
  if (attempt.id.empty() || attempt.lesson.empty() || attempt.prediction.empty() || attempt.time < 0)
    throw InputError("an attempt without a name or a time");
  return attempt;
}

Json write_attempt(const Attempt& attempt) {
  Json out = {{"id", attempt.id},
              {"time", utc(attempt.time)},
              {"lesson", attempt.lesson},
              {"prediction", attempt.prediction},
              {"scenario", attempt.scenario},
              {"answered_by", std::string(to_string(attempt.answered_by))},
              {"typed", attempt.typed},
              {"value", attempt.value},
              {"confidence", attempt.confidence},
              {"right", attempt.right},
              {"errors", attempt.errors},
              {"correct", attempt.correct}};
  if (!attempt.question.empty()) out["question"] = attempt.question;
  if (attempt.questions > 0) out["questions"] = attempt.questions;
  if (!attempt.words.empty()) out["words"] = attempt.words;
  if (!attempt.right_words.empty()) out["right_words"] = attempt.right_words;
  return out;
}

void read_visited(const Json& lessons, KeptProgress& progress) {
  for (const auto& [lesson, steps] : lessons.items()) {
    if (progress.visited.size() >= StudyRecord::kMostLessons) return;
    std::set<std::string>& visited = progress.visited[clean_text(lesson, kNameBytes)];
    for (const Json& step : steps) {
      if (visited.size() < StudyRecord::kMostSteps)
        visited.insert(clean_text(step.get_ref<const std::string&>(), kNameBytes));
    }
  }
}

// What `read` throws is one damaged entry, and nothing else.
template <typename Read>
void count_damage(KeptProgress& progress, const Read& read) {
  try {
    read();
  } catch (const std::exception&) {
    ++progress.damaged;
  }
}

}  // namespace

KeptProgress read_progress(const Json& document) {
  KeptProgress progress;
  if (!document.is_object()) return progress;
  if (document.contains("attempts") && document["attempts"].is_array()) {
    for (const Json& object : document["attempts"]) {
      count_damage(progress, [&] {
        if (progress.attempts.size() >= kMostRead) throw InputError("too many");
        progress.attempts.push_back(read_attempt(object));
      });
    }
  } else {
    ++progress.damaged;
  }
  count_damage(progress, [&] { read_visited(document.at("visited"), progress); });
  count_damage(progress, [&] {
    progress.last_lesson = clean_text(document.at("last_lesson").get<std::string>(), kNameBytes);
  });
  return progress;
}

Json write_progress(const std::vector<Attempt>& attempts, size_t first,
                    const std::map<std::string, std::set<std::string>>& visited,
                    const std::string& last_lesson) {
  Json list = Json::array();
  for (size_t i = first; i < attempts.size(); ++i) list.push_back(write_attempt(attempts[i]));
  return {{"attempts", list}, {"visited", visited}, {"last_lesson", last_lesson}};
}

Attempt bounded(Attempt attempt) {
  attempt.lesson = clean_text(attempt.lesson, kNameBytes);
  attempt.prediction = clean_text(attempt.prediction, kNameBytes);
  attempt.question = clean_text(attempt.question, kTextBytes);
  attempt.questions = std::clamp(attempt.questions, 0, kMostQuestions);
  attempt.scenario = clean_text(attempt.scenario, kTextBytes);
  attempt.typed = clean_text(attempt.typed, kTextBytes);
  attempt.words = bounded(std::move(attempt.words));
  attempt.right_words = bounded(std::move(attempt.right_words));
  attempt.confidence = std::clamp(attempt.confidence, 0, 3);
  if (attempt.errors.size() > kMostErrors) attempt.errors.resize(kMostErrors);
  for (std::string& name : attempt.errors) name = clean_text(name, kErrorBytes);
  return attempt;
}

std::string new_attempt_id() {
  std::random_device device;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    const unsigned word = device();
    for (int shift = 28; shift >= 0; shift -= 4) id += "0123456789abcdef"[word >> shift & 0xF];
  }
  return id;
}

}  // namespace ringside::inline kit
