#include "toml_words.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"

namespace ringside {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;

std::string name_of(const toml::key& key) { return std::string(key.str()); }

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : named_(as_typed(file.filename().string())) {}

  void read(const toml::table& table, const std::string& section) {
    for (const auto& [key, node] : table) {
      const std::string name = (section.empty() ? "" : section + ".") + name_of(key);
      if (const toml::table* const inner = node.as_table(); inner != nullptr && section.empty())
        read(*inner, name);
      else
        settings_.push_back({name, value_of(name, node), place_of(node)});
    }
  }

  // A table has its keys by name; a person has them by line.
  std::vector<Setting> take() {
    std::ranges::stable_sort(settings_, {}, [](const Setting& setting) {
      return read_number<int64_t>(setting.from.substr(setting.from.rfind(':') + 1)).value_or(0);
    });
    return std::move(settings_);
  }

 private:
  std::string place_of(const toml::node& node) const {
    return fmt::format("{}:{}", named_, node.source().begin.line);
  }

  std::string value_of(const std::string& name, const toml::node& node) const {
    if (const auto* const text = node.as_string()) return text->get();
    if (const auto* const whole = node.as_integer()) return std::to_string(whole->get());
    if (const auto* const real = node.as_floating_point()) return fmt::format("{}", real->get());
    if (const auto* const flag = node.as_boolean()) return flag->get() ? "true" : "false";
    throw InputError(fmt::format("{}: {}: expected a text in quotes, a number, true or false", place_of(node),
                                 as_typed(name)));
  }

  const std::string named_;
  std::vector<Setting> settings_;
};

}  // namespace

std::vector<Setting> read_toml(const std::filesystem::path& file) {
  const std::string text = read_file(file, kMostBytes);
  try {
    Reader reader(file);
    reader.read(toml::parse(text), "");
    return reader.take();
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("{}:{}: {}", as_typed(file.string(), kPathColumns),
                                 error.source().begin.line, as_typed(error.description(), 200)));
  }
}

}  // namespace ringside
