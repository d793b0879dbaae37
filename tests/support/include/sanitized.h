// Whether what is tested has a sanitizer. No macro: a test is the same text with and without one, and
// compiled once.
#pragma once

namespace ringside::testing {
extern const bool kSanitized;
}
