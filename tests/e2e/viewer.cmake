# The viewer from outside: a real window under Xvfb (label window), and pictures without a display.
set(windows clip first explain keyboard kiosk window sizes tools past torus acting roles slow demo drag recording time)
foreach(name ${windows})
  set(NEEDS_viewer_${name} Xvfb xdotool)
endforeach()
list(APPEND NEEDS_viewer_clip ffmpeg ffprobe)
foreach(name ${windows} headless pictures previews)
  drover_script_test(viewer_${name} e2e TIMEOUT 600 NEEDS ${NEEDS_viewer_${name}}
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/viewer_${name}.py $<TARGET_FILE:drover-server> $<TARGET_FILE:drover-viewer>)
endforeach()
foreach(name ${windows})
  set_property(TEST e2e.viewer_${name} APPEND PROPERTY LABELS window)
endforeach()
set_tests_properties(e2e.viewer_pictures e2e.viewer_previews PROPERTIES PROCESSORS 2)
