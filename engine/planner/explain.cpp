// The search takes time that is linear in the number of gradients, but for the logarithm of a binary search:
// sums of neighbours are differences of prefix sums, and for a head of free size the rest is one division.
#include "ringside/planner/explain.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "ringside/base/units.h"

namespace ringside::inline planner {
namespace {

struct Span {
  int64_t least, most;
  bool has(int64_t value) const { return value >= least && value <= most; }
};

// Elements, as a function of the number of classes C.
struct Size {
  int64_t fixed = 0, per_class = 0;
  int64_t of(int64_t classes) const { return fixed + per_class * classes; }
};

struct Run {  // of neighbours
  size_t begin, end;
  bool operator==(const Run&) const = default;
  bool holds(const Run& other) const { return begin <= other.begin && other.end <= end; }
};

// All gradients of a pass, the head's among them, and the flush rule (reducer.h) for any C. The head comes
// first in backward order (bias, weight) and last in parameter order (weight, bias).
class Sequence {
 public:
  Sequence(GradientOrder order, const std::vector<Gradient>& body,
           const std::vector<Gradient>& head_per_class, int64_t bucket_size)
      : gradients_(body), sums_(1), bucket_size_(bucket_size) {
    const bool backward = order == GradientOrder::kBackward;
    head.begin = backward ? 0 : body.size();
    head.end = head.begin + head_per_class.size();
    body_run = backward ? Run{head.end, body.size() + head.end} : Run{0, body.size()};
    gradients_.insert(gradients_.begin() + std::ptrdiff_t(head.begin), head_per_class.begin(),
                      head_per_class.end());
    for (size_t i = 0; i < gradients_.size(); ++i) {
      const int64_t elements = gradients_[i].elements;
      const bool in_head = head.holds({i, i + 1});
      const Size before = sums_.back();
      sums_.push_back({before.fixed + (in_head ? 0 : elements), before.per_class + (in_head ? elements : 0)});
    }
    if (!backward)
      for (size_t at = 0; at < head.begin; at = bucket_end(at, 1)) last_start_in_body_ = at;
  }

  Run head{}, body_run{};
  size_t size() const { return gradients_.size(); }
  Size sum(Run run) const {
    const Size &a = sums_[run.begin], &b = sums_[run.end];
    return {b.fixed - a.fixed, b.per_class - a.per_class};
  }

  // The last end up to which there are no more than so many elements.
  size_t reach(size_t begin, int64_t most, int64_t classes) const {
    const auto above = [&](int64_t limit, const Size& sum) { return limit < sum.of(classes); };
    const auto first = sums_.begin() + std::ptrdiff_t(begin);
    return size_t(std::upper_bound(first, sums_.end(), first->of(classes) + most, above) - sums_.begin()) - 1;
  }
  // Of the bucket that begins there. A gradient larger than the size is alone.
  size_t bucket_end(size_t begin, int64_t classes) const {
    return std::max(begin + 1, reach(begin, bucket_size_, classes));
  }

  // The buckets with a part of the head, and in parameter order the one before them.
  std::vector<Run> buckets_at_head(int64_t classes) const {
    std::vector<Run> buckets;
    for (size_t at = last_start_in_body_; at < head.end; at = buckets.back().end)
      buckets.push_back({at, bucket_end(at, classes)});
    return buckets;
  }
  // The same for all of these classes: visit(range of classes, buckets), where a range has equal buckets.
  template <typename Visit>
  void visit_buckets_at_head(Span classes, const Visit& visit) const {
    while (classes.least <= classes.most) {
      const std::vector<Run> buckets = buckets_at_head(classes.least);
      Span equal = classes;
      for (const Run& bucket : buckets) {
        const Size elements = sum(bucket);
        if (elements.per_class > 0 && elements.of(equal.least) <= bucket_size_)  // until it is too full
          equal.most = std::min(equal.most, (bucket_size_ - elements.fixed) / elements.per_class);
      }
      visit(equal, buckets);
      classes.least = equal.most + 1;
    }
  }

  RunHit hit(Run run, int64_t classes) {
    for (size_t i = head.begin; i < head.end; ++i) gradients_[i].elements = sum({i, i + 1}).of(classes);
    RunHit hit;
    hit.pieces = pieces_of(gradients_, run.begin, run.end);
    hit.tensors = run.end - run.begin;
    hit.first = gradients_[run.begin].name;
    hit.last = gradients_[run.end - 1].name;
    hit.is_first = run.begin == 0;
    if (run.end < size()) {
      hit.next = gradients_[run.end].name;
      hit.next_elements = gradients_[run.end].elements;
    }
    return hit;
  }

 private:
  std::vector<Gradient> gradients_;
  std::vector<Size> sums_;  // of the first i gradients
  int64_t bucket_size_;
  size_t last_start_in_body_ = 0;  // of the bucket that may still be open when the head comes
};

// Adds the hits and the families of one order. `body`: all gradients but the head's, which is (C, hidden).
class Search {
 public:
  Search(GradientOrder order, const std::vector<Gradient>& body, int64_t hidden,
         const ExplainOptions& options, Explanation& result)
      : order_(order),
        classes_{options.classes.value_or(1), options.classes.value_or(kMostClasses)},
        window_{options.number - options.number / 2, options.number + options.number / 2},
        result_(result) {
    const Gradient weight{"score.weight", "head", hidden}, bias{"score.bias", "head", 1};
    const auto try_head = [&](const std::vector<Gradient>& tensors) {
      sequences_.emplace_back(order, body, tensors, options.bucket_size);
    };
    const bool backward = order == GradientOrder::kBackward,
               has_head = options.head == ModelHead::Kind::kClassifier;
    if (!has_head) try_head({});
    if (has_head && options.bias.value_or(true))
      try_head(backward ? std::vector{bias, weight} : std::vector{weight, bias});
    if (has_head && !options.bias.value_or(false)) try_head({weight});
  }

  void run() {
    const size_t before = result_.families.size();
    search_body();
    for (Sequence& sequence : sequences_)
      if (sequence.head.end > sequence.head.begin) search_head(sequence);
    const auto numbers = double(window_.most - window_.least + 1);
    for (size_t i = before; i < result_.families.size(); ++i) {  // counts in the window become means
      RunFamily& family = result_.families[i];
      family.expected_hits /= numbers;
      family.expected_flushed /= numbers;
      result_.hit_count += family.hits;
      result_.flushed_count += family.flushed;
    }
  }

 private:
  // Runs without the head.
  void search_body() {
    Sequence& sequence = sequences_.front();
    const Run body = sequence.body_run;
    const std::vector<bool> starts = starts_in_body();
    RunFamily& family = result_.families.emplace_back(RunFamily{.order = order_});
    const auto all = double(body.end - body.begin);
    family.candidates = all * (all + 1) / 2;
    const auto reach = [&](size_t begin, int64_t most) {
      return std::min(sequence.reach(begin, most, 0), body.end);
    };
    for (size_t begin = body.begin; begin < body.end; ++begin) {
      const Run run{begin, reach(begin, result_.number)};
      // With as many classes as there may be: what then is no bucket is none with fewer.
      const Run bucket{begin, sequence.bucket_end(begin, classes_.most)};
      const bool is_bucket = starts[begin - body.begin] && bucket.end <= body.end;
      if (sequence.sum(run).fixed == result_.number)
        add(sequence, run, {}, is_bucket && run == bucket, family);
      family.expected_hits += double(reach(begin, window_.most) - reach(begin, window_.least - 1));
      family.expected_flushed += is_bucket && window_.has(sequence.sum(bucket).fixed);
    }
  }

  // Where in the body some number of classes lets a bucket begin.
  std::vector<bool> starts_in_body() const {
    const Sequence& sequence = sequences_.front();
    const Run body = sequence.body_run;
    std::vector<bool> starts(body.end - body.begin + 1);
    if (body.begin == 0) starts[0] = true;
    if (body.begin > 0)
      for (const Sequence& with_head : sequences_)
        with_head.visit_buckets_at_head(classes_, [&](Span, const std::vector<Run>& buckets) {
          starts[buckets.back().end - with_head.body_run.begin] = true;
        });
    for (size_t i = body.begin; i < body.end; ++i) {
      const size_t end = sequence.bucket_end(i, classes_.most);
      if (starts[i - body.begin] && end <= body.end) starts[end - body.begin] = true;
    }
    return starts;
  }

  void search_head(Sequence& sequence) {
    const Run head = sequence.head;
    const bool bias = head.end - head.begin == 2;
    RunFamily& family =
        result_.families.emplace_back(RunFamily{.order = order_, .has_head = true, .bias = bias});
    const Run body = sequence.body_run;
    family.candidates = double(body.end - body.begin + 1) * double(classes_.most - classes_.least + 1);
    for (size_t begin = 0; begin < head.end; ++begin) {
      for (size_t end = std::max(begin, head.begin) + 1; end <= sequence.size(); ++end) {
        const Run run{begin, end};
        try_run(sequence, run, family);
        if (run.holds(head)) family.expected_hits += classes_in_window(sequence.sum(run), classes_);
      }
    }
    sequence.visit_buckets_at_head(classes_, [&](Span classes, const std::vector<Run>& buckets) {
      for (const Run& bucket : buckets)
        if (bucket.holds(head)) family.expected_flushed += classes_in_window(sequence.sum(bucket), classes);
    });
  }

  void try_run(Sequence& sequence, Run run, RunFamily& family) {
    const bool whole = run.holds(sequence.head);
    if (!whole && classes_.least < classes_.most) return;
    const Size elements = sequence.sum(run);
    const int64_t rest = result_.number - elements.fixed;
    if (rest <= 0 || rest % elements.per_class != 0 || !classes_.has(rest / elements.per_class)) return;
    const int64_t classes = rest / elements.per_class;
    const std::vector<Run> buckets = sequence.buckets_at_head(classes);
    const bool flushed = std::ranges::find(buckets, run) != buckets.end();
    if (whole || flushed) add(sequence, run, classes, flushed, family);
  }

  // How many of the classes give these elements a sum in the window.
  double classes_in_window(Size elements, Span classes) const {
    const int64_t per_class = elements.per_class;
    const int64_t least = (window_.least - elements.fixed + per_class - 1) / per_class;  // below 1: any
    const int64_t most = (window_.most - elements.fixed) / per_class;
    const int64_t count = std::min(most, classes.most) - std::max(least, classes.least) + 1;
    return double(std::max<int64_t>(0, count));
  }

  void add(Sequence& sequence, Run run, std::optional<int64_t> classes, bool flushed, RunFamily& family) {
    ++family.hits;
    family.flushed += flushed;
    if (!flushed && result_.hits.size() >= kMostHits) return;
    RunHit hit = sequence.hit(run, classes.value_or(0));  // 0: of a size that is not known
    hit.order = order_;
    hit.classes = classes;
    hit.bias = family.bias;
    hit.flushed = flushed;
    hit.coincidence = flushed && classes && classes_.least < classes_.most && hit.next.empty() &&
                      order_ == GradientOrder::kParameters;
    result_.coincidences += hit.coincidence;
    if (hit.is_first) {
      hit.least_size = hit.tensors == 1 ? 1 : result_.number;
      if (hit.next_elements > 0) hit.most_size = result_.number + hit.next_elements - 1;
    }
    result_.hits.push_back(std::move(hit));
  }

  GradientOrder order_;
  Span classes_;
  Span window_;  // around the number, for the chance
  std::vector<Sequence> sequences_;
  Explanation& result_;
};

HiddenStates as_hidden_states(int64_t number, int64_t hidden) {
  HiddenStates states{hidden, number / hidden, number % hidden, {}};
  if (states.remainder != 0) return states;
  for (int64_t batch = 1; batch <= kMostBatch; ++batch) {
    if (states.rows % batch == 0 && states.rows / batch <= kMostLength)
      states.plausible.push_back({batch, states.rows / batch});
  }
  return states;
}

}  // namespace

Explanation explain_number(const std::vector<ParameterShape>& body, int64_t hidden,
                           const ExplainOptions& options) {
  require_size("number", options.number, kMostModelParameters);
  require_size("bucket-size", options.bucket_size, kMostModelParameters);
  if (options.classes) require_size("classes", *options.classes, kMostClasses);
  require_size("hidden", hidden, int64_t{1} << 24);
  Explanation result;
  result.number = options.number;
  result.bucket_size = options.bucket_size;
  result.hidden = as_hidden_states(options.number, hidden);
  for (const GradientOrder order : {GradientOrder::kBackward, GradientOrder::kParameters})
    Search(order, gradients_in(order, body), hidden, options, result).run();
  result.otherwise = sent_otherwise(body, hidden, options);
  // What the rule allows first, then the order of a pass, and what comes early in it.
  std::ranges::stable_sort(result.hits, {}, [](const RunHit& hit) {
    return std::tuple(!hit.flushed, hit.coincidence, hit.order != GradientOrder::kBackward, !hit.is_first,
                      !hit.classes);
  });
  if (result.hits.size() > kMostHits) result.hits.resize(kMostHits);
  return result;
}

Explanation explain_number(const ModelConfig& config, const ExplainOptions& options) {
  ModelHead head;
  if (options.head == ModelHead::Kind::kLanguageModel) head.kind = options.head;
  return explain_number(model_shapes(config, head, options.freeze_vision), config.text.hidden, options);
}

}  // namespace ringside::inline planner
