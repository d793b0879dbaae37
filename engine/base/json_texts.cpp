#include "ringside/base/json_texts.h"

#include "ringside/base/json.h"
#include "ringside/base/text.h"

namespace ringside::inline base {

JsonTexts json_texts(std::string_view object, std::span<const std::string> keys) {
  JsonTexts result;
  try {
    const Json json = parse_json(object, {object.size(), 32, 10'000});
    const JsonObject fields(json);
    for (const std::string& key : keys) {
      const Json* const value = fields.find(key);
      if (value == nullptr) {
        std::string there;
        for (const auto& item : json.items()) there += (there.empty() ? "" : ", ") + item.key();
        throw JsonRejected("no '{}'; its keys are {}", as_typed(key), as_typed(there, kPathColumns));
      }
      const bool whole = value->is_number_integer() || value->is_boolean();
      if (!whole && !value->is_string())
        throw JsonRejected("'{}' is neither a text nor a whole number, true or false", as_typed(key));
      result.texts.push_back(whole ? value->dump() : value->get<std::string>());
    }
  } catch (const JsonRejected& rejected) {
    result.why = rejected.why;
  }
  return result;
}

}  // namespace ringside::inline base
