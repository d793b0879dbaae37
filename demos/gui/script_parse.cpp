#include <array>
#include <fstream>
#include <set>

#include "ringside/lesson/suggest.h"
#include "script.h"

namespace ringside::gui {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostLines = 100'000, kMostLine = 4096;
const std::set<std::string> kOperators = {"==", "!=", ">", ">=", "<", "<=", "contains"};

// Words, of which some stand in quotes; \" and \\ within them. False: a quote is not closed.
bool split(const std::string& line, std::vector<std::string>& words, size_t& end) {
  size_t i = 0;
  for (;;) {
    while (i < line.size() && (line[i] == ' ' || line[i] == '\t')) ++i;
    end = i;
    if (i == line.size() || line[i] == '#') return true;
    std::string word;
    if (line[i] != '"') {
      while (i < line.size() && line[i] != ' ' && line[i] != '\t') word += line[i++];
    } else {
      for (++i; i < line.size() && line[i] != '"'; ++i) {
        if (line[i] == '\\' && i + 1 < line.size()) ++i;
        word += line[i];
      }
      if (i++ == line.size()) return false;
    }
    words.push_back(word);
  }
}

bool is_number(const std::string& text) {
  try {
    size_t end = 0;
    const double value = std::stod(text, &end);
    return end == text.size() && value > -1e6 && value < 1e6;
  } catch (const std::exception&) {
    return false;
  }
}

// What is wrong with "POINTER OP VALUE", "item NAME"; "" for nothing.
std::string condition_fault(const std::vector<std::string>& words, size_t count) {
  if (count == 2 && (words[0] == "item" || words[0] == "no_item")) return "";
  if (count != 3) return "expected POINTER OP VALUE, or item NAME";
  if (!words[0].starts_with('/')) return "'" + words[0] + "' is no JSON pointer: it starts with /";
  if (!kOperators.contains(words[1])) return "'" + words[1] + "' is none of == != > >= < <= contains";
  return "";
}

struct Shape {
  const char* command;
  const char* words;  // n: a number, w: any word
};
constexpr std::array kShapes = {
    Shape{"click", "w"},  Shape{"double_click", "w"}, Shape{"hover", "w"}, Shape{"wheel", "wn"},
    Shape{"drag", "www"}, Shape{"key", "w"},          Shape{"type", "w"},  Shape{"frames", "n"},
    Shape{"sleep", "n"},  Shape{"screenshot", "w"},   Shape{"dump", "w"},  Shape{"items", "w"},
    Shape{"size", "nn"},  Shape{"scale", "n"},        Shape{"theme", "w"}, Shape{"quit", ""}};

std::string shape_fault(const ScriptLine& line, const std::string& shape) {
  if (line.words.size() != shape.size())
    return line.command + " takes " + std::to_string(shape.size()) +
           " words; names with blanks stand in quotes";
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == 'n' && !is_number(line.words[i])) return "'" + line.words[i] + "' is no number";
  return "";
}

std::string fault_of(const ScriptLine& line) {
  const std::vector<std::string>& words = line.words;
  if (line.command == "expect") return condition_fault(words, words.size());
  if (line.command == "wait") {
    if (words.size() < 2 || !is_number(words.back())) return "a wait ends with its deadline in seconds";
    return condition_fault(words, words.size() - 1);
  }
  for (const Shape& shape : kShapes) {
    if (line.command != shape.command) continue;
    if (std::string fault = shape_fault(line, shape.words); !fault.empty()) return fault;
  }
  ui::Chord chord;
  if (line.command == "key" && !ui::parse_chord(words[0], chord)) return "there is no key '" + words[0] + "'";
  if (line.command == "theme" && words[0] != "dark" && words[0] != "light") return "a theme is dark or light";
  if (line.command == "drag" && words[1] != "to" && !(is_number(words[1]) && is_number(words[2])))
    return "expected drag NAME DX DY, or drag NAME to NAME";
  return "";
}

// The value at the pointer; else what there is on the way.
const Json* find(const Json& state, const std::string& pointer, std::string& fault) {
  const Json* at = &state;
  std::string path;
  for (Json::json_pointer rest(pointer), done; !rest.empty();) {
    const std::string whole = rest.to_string();  // "/run/finished": the first name, and what follows
    const size_t slash = whole.find('/', 1);
    const Json::json_pointer first(whole.substr(0, slash));
    rest = Json::json_pointer(slash == std::string::npos ? "" : whole.substr(slash));
    if (!at->contains(first)) {
      std::vector<std::string> there;
      if (at->is_object())
        for (const auto& [key, value] : at->items()) there.push_back(key);
      fault =
          "there is no " + path + first.to_string() + (there.empty() ? "" : "; there are: " + join(there));
      return nullptr;
    }
    at = &(*at)[first];
    path += first.to_string();
  }
  return at;
}

Json value_of(const std::string& text) {
  const Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_discarded() ? Json(text) : parsed;
}

bool holds(const Json& there, const std::string& op, const Json& value, const std::string& text) {
  if (op == "==") return there == value || (there.is_string() && there == text);
  if (op == "!=") return !holds(there, "==", value, text);
  if (op == "contains") {
    if (there.is_string()) return there.get_ref<const std::string&>().find(text) != std::string::npos;
    if (there.is_object()) return there.contains(text);
    for (const Json& element : there)
      if (holds(element, "==", value, text)) return true;
    return false;
  }
  if (!there.is_number() || !value.is_number()) return false;
  const double a = there.get<double>(), b = value.get<double>();
  return op == ">" ? a > b : op == ">=" ? a >= b : op == "<" ? a < b : a <= b;
}

}  // namespace

std::vector<ScriptLine> parse_script(std::istream& in, const std::string& name) {
  std::vector<ScriptLine> lines;
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    const std::string where = name + ":" + std::to_string(number) + ": ";
    if (!text.empty() && text.back() == '\r') text.pop_back();
    if (text.size() > kMostLine || lines.size() >= kMostLines)
      throw UsageError(where + "too long for a script");
    ScriptLine line;
    size_t end = 0;
    if (!split(text, line.words, end)) throw UsageError(where + "a quote is not closed");
    if (line.words.empty()) continue;
    line.number = number;
    line.command = line.words.front();
    line.words.erase(line.words.begin());
    line.text = text.substr(0, end);
    line.text = line.text.substr(line.text.find_first_not_of(" \t"));
    line.text.erase(line.text.find_last_not_of(" \t") + 1);
    if (const std::string fault = fault_of(line); !fault.empty()) throw UsageError(where + fault);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<ScriptLine> read_script(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (std::filesystem::is_directory(file) || !in)
    throw UsageError(file.string() + ": the script cannot be read");
  return parse_script(in, file.string());
}

std::string unmet(const Json& state, const std::string& pointer, const std::string& op,
                  const std::string& value) {
  if (!kOperators.contains(op)) throw UsageError("'" + op + "' is none of == != > >= < <= contains");
  std::string fault;
  try {
    const Json* there = find(state, pointer, fault);
    if (there == nullptr) return fault;
    if (holds(*there, op, value_of(value), value)) return "";
    std::string text = there->dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 200) text = text.substr(0, 200) + "...";
    return "it is " + text;
  } catch (const Json::exception& error) {
    return "'" + pointer + "' is no place in the state";
  }
}

}  // namespace ringside::gui
