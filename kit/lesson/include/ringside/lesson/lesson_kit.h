// What a lesson is written with, in one include: what it declares, records, reads, judges and draws.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ringside/base/error.h"
#include "ringside/base/median.h"
#include "ringside/base/ratio.h"
#include "ringside/base/units.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/curves.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/lesson_of.h"
#include "ringside/lesson/rows.h"
#include "ringside/lesson/run_parts.h"
#include "ringside/lesson/timings.h"
#include "ringside/lesson/tr.h"
