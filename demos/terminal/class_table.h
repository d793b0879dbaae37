// What a confusion matrix says, for a terminal of 80 columns.
#pragma once

#include <string>
#include <vector>

#include "ringside/base/json.h"
#include "ringside/data/class_metrics.h"

namespace ringside {

// "81.2 % of 512 right, macro-F1 0.803, loss 0.612"
std::string verdict_text(const Confusion& counts, double loss);
// A row a class: samples, precision, recall, F1, and what it is taken for most often. Of many classes those
// with the most samples.
std::string class_table(const Confusion& counts, const std::vector<std::string>& classes, int width);
// The matrix, where it has at most 10 classes; "" for more.
std::string confusion_table(const Confusion& counts, const std::vector<std::string>& classes, int width);
// All of it: accuracy, macro_f1, loss, samples, classes, confusion.
Json metrics_json(const Confusion& counts, double loss, const std::vector<std::string>& classes);

}  // namespace ringside
