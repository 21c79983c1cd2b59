# Two commands for a fresh Debian machine. The CMake presets do the work, and can be used without this file.
.PHONY: bench test

bench:
	@.ci/install build
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target headline
	@build/release/bin/loopbench run --quick

test:
	@.ci/install build layouts style browser documentation readers
	@cmake --preset release >/dev/null
	@cmake --build --preset release
	@ctest --preset release
