# The tests need Catch2. Where it is missing the rest is built without them: RINGSIDE_TESTS is then OFF
# for this configuration. What was left out, here and in ringside_gui, stands in BUILD_FOLDER/left_out.txt,
# a line each, as packages.txt marks it: ./run and ./check configure again where they need it.
if(RINGSIDE_TESTS)
  find_package(Catch2 QUIET)
  if(NOT Catch2_FOUND)
    message(WARNING "the tests are left out; missing: catch2 (Debian's name)")
    string(APPEND RINGSIDE_LEFT_OUT "check: catch2\n")
    set(RINGSIDE_TESTS OFF)
  endif()
endif()
file(WRITE ${CMAKE_BINARY_DIR}/left_out.txt "${RINGSIDE_LEFT_OUT}")
