# The viewer from outside: a real window under Xvfb (label window), and pictures without a display.
set(NEEDS_viewer_clip ffmpeg ffprobe) # not among the packages it needs
foreach(name window tools acting drag)
  set(NEEDS_viewer_${name} Xvfb xdotool)
endforeach()
foreach(name window tools acting drag headless pictures clip)
  drover_script_test(viewer_${name} e2e NEEDS ${NEEDS_viewer_${name}}
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/viewer_${name}.py $<TARGET_FILE:drover-server> $<TARGET_FILE:drover-viewer>)
endforeach()
set_property(TEST e2e.viewer_window e2e.viewer_tools e2e.viewer_acting e2e.viewer_drag APPEND PROPERTY LABELS window)
set_tests_properties(e2e.viewer_pictures PROPERTIES PROCESSORS 2)
