# CMake 3.25 does not know this system yet; cmake/DroverWasm.cmake says the rest.
