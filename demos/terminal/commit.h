#pragma once

namespace ringside {

// Of the source tree, as `git describe` says it; "unknown" where there is no git. Alone in its library, so that
// a commit changes no other, and no test runs again for it (cmake/passed_tests.py).
const char* commit_of_build();

}  // namespace ringside
