# cmake -DSOURCE=... -DHEADER=... -P write_commit.cmake: run by every build, but the
# header is only touched when the commit changed.
execute_process(
  COMMAND git --git-dir=${SOURCE}/.git --work-tree=${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit ERROR_QUIET RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
  set(commit unknown)
endif()
set(text "inline constexpr const char* kRingsideCommit = \"${commit}\";\n")
set(written "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} written)
endif()
if(NOT written STREQUAL text)
  file(WRITE ${HEADER} "${text}")
endif()
