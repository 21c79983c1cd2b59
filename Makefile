# Two commands for a fresh Debian machine. The CMake presets do the work, and can be used without this file.
.PHONY: bench test

bench:
	@.ci/install build
	@.ci/build headline
	@build/release/bin/loopbench run --quick

test:
	@.ci/install build layouts style browser documentation readers
	@.ci/build
	@ctest --preset release
