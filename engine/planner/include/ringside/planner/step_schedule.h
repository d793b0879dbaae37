// Until nobody includes it: pipeline/schedule.h has what was here.
#pragma once

#include "ringside/pipeline/schedule.h"
