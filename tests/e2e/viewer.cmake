# The viewer from outside: a real window under Xvfb, and pictures without a display.
foreach(name window sizes tools past acting roles slow demo drag headless pictures clip)
  add_test(NAME e2e.viewer_${name}
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/viewer_${name}.py $<TARGET_FILE:drover-server>
                   $<TARGET_FILE:drover-viewer>
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(e2e.viewer_${name} PROPERTIES LABELS e2e TIMEOUT 300 ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1")
endforeach()
set_tests_properties(e2e.viewer_pictures PROPERTIES PROCESSORS 2)
set_tests_properties(e2e.viewer_clip PROPERTIES SKIP_RETURN_CODE 77) # ffmpeg is not among the packages it needs
