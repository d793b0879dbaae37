// The data that the settings of a training name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ringside/data/dataset.h"
#include "ringside/data/tokenizer.h"
#include "ringside/lesson/config.h"

namespace ringside {

// The setting `tokenizer`: the file that it names, absolute, or "bytes".
std::string tokenizer_name(const Config& config);
// Of such a name. Errors: of tokenizer/tokenizer_json.h.
std::shared_ptr<const Tokenizer> tokenizer_of(const std::string& name);
// A token at least: a text without any is one of padding.
std::vector<int32_t> tokens_of(const Tokenizer& tokenizer, std::string_view text, int64_t max_tokens);

// `data`, and `test` or a part of it that is held out. Errors: of data/labelled.h.
Dataset load_data(const Config& config, const Tokenizer& tokenizer);
// Other data, all of it to be evaluated on, with the classes of a run. InputError for a class that is none.
Dataset load_other_data(const std::string& path, const Config& config, const Tokenizer& tokenizer,
                        const std::vector<std::string>& classes);

}  // namespace ringside
