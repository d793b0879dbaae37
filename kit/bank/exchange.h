// The bank for other programs, and a log of reviews for another machine.
//
// Anki (docs.ankiweb.net, importing text files): UTF-8, a card a line, fields between tabs, HTML; the first
// field is the card's id, declared as its GUID, so that a second import updates the card and keeps its
// scheduling. A drill has the numbers of one seed there.
//
// JSON: {"kind":"ringside cards","version":1,"cards":[...],"reviews":[...]}, reviews as in the log.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "cards.h"
#include "review_log.h"

namespace ringside::inline kit {

// picture: the name of a card's image file, which Anki looks for in its collection.media; "": it has none.
void write_anki(const std::vector<Card>& cards, const StudyRecord& record,
                const std::function<std::string(const Card&)>& picture, std::ostream& out);
void write_bank(const std::vector<Card>& cards, const StudyRecord& record,
                const std::vector<ReviewEntry>& log, std::ostream& out);
// The reviews of such a document. InputError naming the file.
std::vector<ReviewEntry> read_bank_reviews(const std::filesystem::path& file);

}  // namespace ringside::inline kit
