// How a log shows each cause, for somebody who learns to read one.
#pragma once

#include <string_view>

#include "ringside/autopsy/diagnosis.h"

namespace ringside::inline kit {

struct CauseWords {
  std::string_view is;       // behind "the cause is that": "a rank never came to a call"
  std::string_view shows;    // by which lines one knows it
  std::string_view differs;  // what it is taken for, and how that looks
  bool of_a_rank = true;     // one rank is to blame
};
const CauseWords& words_of(Cause cause);

}  // namespace ringside::inline kit
