// What the lesson measures: which outputs move when one number is changed, what features of different scales,
// padding and the size of a batch do, what data parallelism trains, what a norm costs, and what it does to
// gradients and to the weights before it. rows.h has what is recorded.
#pragma once

#include "ringside/lesson/lesson_kit.h"
#include "rows.h"

namespace ringside::lessons::norms {

extern const std::vector<std::string> kNames;  // of norms
inline constexpr double kRounding = 1e-4;   // of a training's way: what rounding may do
inline constexpr double kRound = 5;         // a condition: about as steep along each direction
inline constexpr double kTarget = 0.1;      // loss of the classifier
inline constexpr double kAlikeness = 0.99;  // correlation of the two features of kAlike
inline constexpr int64_t kEigenvalues = 10, kFallSteps = 150;

// Learning rate and weight decay of SGD on a weight before a norm.
inline constexpr std::pair<double, double> kRates[] = {{0.2, 0}, {0.2, 0.1}, {0.1, 0.2}};
std::string name_of(double rate, double decay);  // "rate 0.2, decay 0.1"
double turn_at_rest(double rate, double decay);  // sqrt(2 rate decay), in degrees: arXiv:2006.08419

// Lines of a training: the mean or variance (kMean, kVariance) of feature 0 before the first norm.
std::string seen_by(int64_t rank, const char* moment);  // of its batch
std::string kept_by(int64_t rank, const char* moment);  // the running one, after that batch

// The hero's block: B samples of T tokens of H features; the last token of sample 1 is padding.
inline constexpr int64_t kSamples = 2, kTokens = 3, kFeatures = 4, kGroups = 2;
struct Cell {
  int64_t sample = 0, token = 0, feature = 0;
  int64_t index() const { return (sample * kTokens + token) * kFeatures + feature; }
  bool is_padding() const { return sample == 1 && token == kTokens - 1; }
};
Cell cell_of_text(const std::string& text);  // "0,1,1"; UsageError naming the parameter `cell`

// The recorder of a section; each is opened where its measurement begins.
using Pens = std::function<Recorder&(const char* section)>;

// cells.cpp, padding.cpp, curvature.cpp, weights.cpp.
void record_cells(const Pens& pen);
void record_padding(const Pens& pen);
void record_batches(const Pens& pen);
void record_squares(const Pens& pen, double spread);
void record_curvature(const Pens& pen, double spread);
void record_weights(const Pens& pen);
void record_depth(const Pens& pen, int64_t layers);
void record_times(const Pens& pen);

void run(const Config& config, const RunContext& context);

std::vector<ClaimOf> claims();
std::vector<FigureOf> figures();
Lesson make_lesson();

// training_figures.cpp.
figure::Value hashes(const FigureInput& input);
std::vector<Attribute> hashes_sentence(const FigureInput& input);
FigureOf statistics(const char* id, const char* moment, bool log);

// ---- Read from the trace ----------------------------------------------------------------

using Hashes = std::map<std::pair<int64_t, int64_t>, HashRow>;  // by step and rank
Hashes hashes_of(const SectionView* section);
// Which outputs the changed number moved under a norm.
struct Moved {
  int64_t count = 0;
  bool other_feature = false, other_token = false, other_sample = false;  // than its own
};
Moved moved_under(const Trace& trace, const std::string& norm);
// The first step after which a rank of `a` holds other bits than rank 0 of `b`. None: after no step.
std::optional<int64_t> first_part(const SectionView* a, const SectionView* b, bool buffers);
// The condition of least squares: largest over smallest eigenvalue. NaN where it has not run.
double steepness_of(const Trace& trace, const std::string& features);
// Of the classifier, until its loss is kTarget or less; kNotReached: it was not.
inline constexpr int64_t kNotReached = 1 << 20;
int64_t steps_to_target(const Trace& trace, const std::string& features);
std::string in_words(int64_t steps);  // "12", "more than 120"

}  // namespace ringside::lessons::norms
