# Commands for a fresh machine. The CMake presets do the work, and can be used without this file.
.PHONY: bench test install

prefix = /usr/local
# Not every shell replaces the ~ of prefix=~/.local.
place = $(if $(filter ~/%,$(firstword $(prefix))),$(patsubst ~/%,$(HOME)/%,$(prefix)),$(prefix))

bench:
	@.ci/install build
	@.ci/build headline
	@build/release/bin/loopbench run --quick

test:
	@.ci/install build layouts style browser documentation readers packages
	@.ci/build
	@ctest --preset release

# Installs everything below $(prefix), and below $(DESTDIR) if that is set. The tests install, too, and then replace
# install_manifest.txt.
install:
	@.ci/install build
	@.ci/build suite
	@cmake --install build/release --prefix "$(place)" > build/release/install.log
	@cp build/release/install_manifest.txt build/release/installed-files.txt
	@echo "installed below $(DESTDIR)$(place); the files are listed in build/release/installed-files.txt"
