# SPDX-License-Identifier: Apache-2.0
# "make help" lists the targets: it prints the words behind each "##".
# Fresh machine with Swift 6.3 or later: "make demo", then "make test".

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 30
CHECKED = --explicit-target-dependency-import-check error
# With several packages in one build folder, a cached plan may be that of another package.
SHARED = --scratch-path .build --disable-build-manifest-caching
# A single binary that needs no Swift on the target machine.
RELEASE = -c release --static-swift-stdlib
BINARY = .build/release/countersign
# Flag of install that strips; the release is stripped before.
STRIP = -s
RELEASE_FOLDER = .build/release-files
DATACHANNEL = .build/datachannel/countersign-datachannel
QR = .build/datachannel/countersign-qr
PYTHON = Tests/Interop/.venv/bin/python
UNSANITIZED = --skip CommandTests --skip SecretArenaTests/locked

.PHONY: help setup peers build quick datachannel examples test lint demo interop crash bench fuzz sanitize docs install uninstall clean \
	release reproduce repository check-sbom sign-release try-release try-image

help:  ## list these targets
	@echo "usage: make TARGET [VARIABLE=VALUE]"
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1 /p' Makefile | while read -r name words; do \
		printf '  %-12s %s\n' "$$name" "$$words"; done

setup:  ## install the Debian packages that are missing (root)
	@sh Tools/setup.sh

build: setup  ## build the release binary, .build/release/countersign
	$(SWIFT) build $(RELEASE) --product countersign $(CHECKED)

# The data channel of Liquid Auth and the reader of its codes: separate programs that the other
# targets do not need.
datachannel:  ## build the C programs for data channels and QR codes
	@sh Tools/setup.sh Tools/packages-datachannel.txt
	sh Tools/datachannel.sh $(DATACHANNEL)
	sh Tools/qr.sh $(QR)

lint:  ## check format, shell scripts and desktop files
	$(SWIFT) format lint --strict --recursive Sources Plugins Policies Browser Tests Examples Clients Package.swift
	sh -n Tools/*.sh Tools/release/*.sh Examples/*.sh debian/*.prerm
	desktop-file-validate Docs/countersign.desktop Docs/countersign-liquid.desktop

# The examples share build products with the tests.
examples: setup  ## build the examples, and run those that check themselves
	$(SWIFT) build --package-path Examples/OneAdapter $(SHARED)
	.build/debug/OneAdapter
	# A home with one wire links that wire alone.
	sh Tools/linked.sh .build/debug/OneAdapter
	$(SWIFT) build --package-path Examples/Wallet $(SHARED)
	.build/debug/Wallet
	@sh Tools/setup.sh Tools/packages-examples.txt
	# Its tests need no token; "make interop" tries its program with one.
	$(SWIFT) build --package-path Examples/Hardware $(SHARED) --build-tests
	$(SWIFT) test --skip-build --package-path Examples/Hardware $(SHARED)
	$(SWIFT) build --package-path Examples/OwnProtocol $(SHARED) --build-tests
	$(SWIFT) build --package-path Clients $(SHARED)
	for example in nip155 arc27 near; do .build/debug/ask-$$example || exit 1; done

test: build lint  ## build and run all tests; CI runs this
	$(MAKE) examples
	$(SWIFT) test --skip-build --package-path Examples/OwnProtocol $(SHARED)
	$(SWIFT) build --package-path Clients $(SHARED) --build-tests $(CHECKED)
	$(SWIFT) test --skip-build --package-path Clients --scratch-path .build
	# Built last: the runner takes the package that was built last.
	$(SWIFT) build $(SHARED) --build-tests $(CHECKED)
	sh Tools/test.sh $(SWIFT)
	$(SWIFT) build $(RELEASE) --product policy-agreement
	.build/release/policy-agreement 1000000

# The loop while editing; see CONTRIBUTING.md. It builds for debugging alone.
quick:  ## test one target and its pages after an edit: TARGET=NEP413
	@SWIFT=$(SWIFT) sh Tools/quick.sh "$(TARGET)" $(PAGES:%='%')

demo: build  ## sign with every protocol in an empty home
	sh Examples/demo.sh $(BINARY)

$(PYTHON): Tests/Interop/requirements.txt
	python3 -m venv Tests/Interop/.venv
	Tests/Interop/.venv/bin/pip install --quiet --disable-pip-version-check -r $<
	# The newest version of packages that are pinned to an older one, in a separate folder.
	Tests/Interop/.venv/bin/pip install --quiet --disable-pip-version-check --upgrade \
		--target Tests/Interop/.venv/newest nostr-sdk==0.45.1
	@touch $@

# Packages that the peers need only at run time.
peers: setup  ## install the Debian packages for "make interop" (root)
	@sh Tools/setup.sh Tools/packages-peers.txt

interop: build peers datachannel $(PYTHON)  ## test against foreign implementations
	$(SWIFT) build $(RELEASE) --product shared-log-probe
	@sh Tools/setup.sh Tools/packages-examples.txt
	$(SWIFT) build --package-path Examples/Hardware $(SHARED)
	# Some peers run checks of the Swift tests.
	$(SWIFT) build $(SHARED) --build-tests $(CHECKED)
	SWIFT=$(SWIFT) $(PYTHON) Tools/peers.py

crash: build  ## stop the program at its writes and syncs; all of them: CRASH_FULL=1
	python3 Tests/Crash/crash.py

bench: setup peers datachannel $(PYTHON)  ## measure speed
	$(SWIFT) build $(RELEASE) --product countersign
	$(SWIFT) build $(RELEASE) --product signing-bench
	.build/release/signing-bench | tee .build/bench.txt
	$(PYTHON) Tools/bench_nostr.py .build/bench.txt
	$(PYTHON) Tools/bench_near.py .build/bench.txt
	$(PYTHON) Tools/bench_algorand.py .build/bench.txt
	python3 Tools/bench_command.py $(BINARY) .build/release/signing-bench
	python3 Tools/bench_agent.py $(BINARY) Docs/performance.svg
	$(PYTHON) Tools/bench_bunker.py $(BINARY) .build/release/signing-bench
	$(PYTHON) Tools/bench_liquid.py $(BINARY) $(DATACHANNEL)
	$(PYTHON) Tools/bench_teams.py .build/release/signing-bench $(BINARY)
	cd Tests/Interop && LOAD_REQUESTS=100000 .venv/bin/python -m unittest shared_load_peer

fuzz: setup  ## fuzz the decoders, FUZZ_SECONDS=30 each
	sh Tools/fuzz.sh $(FUZZ_SECONDS)
	@sh Tools/setup.sh Tools/packages-datachannel.txt
	sh Tools/native.sh fuzz $(FUZZ_SECONDS)
	$(SWIFT) build $(RELEASE) --product policy-agreement
	.build/release/policy-agreement 10000000
	.build/release/policy-agreement proofs 100000

sanitize: build peers $(PYTHON)  ## run tests with address and thread sanitizers
	@sh Tools/setup.sh Tools/packages-datachannel.txt
	sh Tools/native.sh sanitize $(PYTHON)
	# Command tests run the release binary, which is not instrumented, so they are left out. Leak
	# detection is off: the test runner and Foundation leak at exit. Memory is not locked: mlock does
	# nothing under a sanitizer.
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --sanitize=address --scratch-path .build/asan $(UNSANITIZED)
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tools/tsan.supp $(SWIFT) test --sanitize=thread --scratch-path .build/tsan $(UNSANITIZED)
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --package-path Clients --sanitize=address --scratch-path .build/asan-clients
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tools/tsan.supp $(SWIFT) test --package-path Clients --sanitize=thread --scratch-path .build/tsan-clients

docs: setup  ## draw the pictures, build the reference in .build/docs
	sh Tools/docs.sh

# Installs existing build products, so root needs no Swift.
install:  ## install what was built, below PREFIX=/usr/local (root)
	@test -x $(BINARY) || { echo "error: there is no $(BINARY)" >&2; echo "hint: make build" >&2; exit 1; }
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install $(STRIP) -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/countersign
	install -m 644 Docs/man/countersign.1 $(DESTDIR)$(PREFIX)/share/man/man1/countersign.1
	# Installed if they were built; only Liquid Auth and code pictures need these programs.
	test ! -e $(DATACHANNEL) || install -D -s -m 755 $(DATACHANNEL) \
		$(DESTDIR)$(PREFIX)/libexec/countersign-datachannel
	test ! -e $(QR) || install -D -s -m 755 $(QR) $(DESTDIR)$(PREFIX)/libexec/countersign-qr
	install -d $(DESTDIR)$(PREFIX)/share/applications
	install -m 644 Docs/countersign.desktop Docs/countersign-liquid.desktop \
		$(DESTDIR)$(PREFIX)/share/applications
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/user
	install -m 644 Docs/systemd/countersign-agent.socket Docs/systemd/countersign-compare@.timer \
		$(DESTDIR)$(PREFIX)/lib/systemd/user
	for unit in countersign-agent.service countersign-compare@.service; do \
		sed 's|@PREFIX@|$(PREFIX)|' Docs/systemd/$$unit > $(DESTDIR)$(PREFIX)/lib/systemd/user/$$unit && \
		chmod 644 $(DESTDIR)$(PREFIX)/lib/systemd/user/$$unit || exit 1; done
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)$(PREFIX)/lib/sysusers.d
	sed 's|@PREFIX@|$(PREFIX)|' Docs/systemd/countersign-hub@.service \
		> $(DESTDIR)$(PREFIX)/lib/systemd/system/countersign-hub@.service
	chmod 644 $(DESTDIR)$(PREFIX)/lib/systemd/system/countersign-hub@.service
	install -m 644 Docs/systemd/countersign-hub.sysusers \
		$(DESTDIR)$(PREFIX)/lib/sysusers.d/countersign-hub.conf
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -d $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	install -d $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(BINARY) completions bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/countersign
	$(BINARY) completions zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_countersign
	$(BINARY) completions fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/countersign.fish

# Homes are kept, as they belong to their users.
uninstall:  ## remove it again; homes stay (root)
	rm -f $(DESTDIR)$(PREFIX)/bin/countersign $(DESTDIR)$(PREFIX)/share/man/man1/countersign.1
	rm -f $(DESTDIR)$(PREFIX)/libexec/countersign-datachannel $(DESTDIR)$(PREFIX)/libexec/countersign-qr
	rm -f $(DESTDIR)$(PREFIX)/share/applications/countersign.desktop
	rm -f $(DESTDIR)$(PREFIX)/share/applications/countersign-liquid.desktop
	rm -f $(DESTDIR)$(PREFIX)/lib/systemd/user/countersign-agent.socket
	rm -f $(DESTDIR)$(PREFIX)/lib/systemd/user/countersign-agent.service
	rm -f $(DESTDIR)$(PREFIX)/lib/systemd/user/countersign-compare@.service
	rm -f $(DESTDIR)$(PREFIX)/lib/systemd/user/countersign-compare@.timer
	rm -f $(DESTDIR)$(PREFIX)/lib/systemd/system/countersign-hub@.service
	rm -f $(DESTDIR)$(PREFIX)/lib/sysusers.d/countersign-hub.conf
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/countersign
	rm -f $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_countersign
	rm -f $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/countersign.fish

# The targets of a release need root: they work in clean Debians of their own (Docs/Releasing.md).
release:  ## build the packages of this commit in a clean Debian 12 (root)
	sh Tools/release.sh $(RELEASE_FOLDER)

reproduce: release  ## build them again in another Debian, and compare (root)
	sh Tools/release/reproduce.sh $(RELEASE_FOLDER)

repository:  ## make an apt repository of the packages: KEY=FILE with an OpenPGP key
	sh Tools/release/repository.sh $(RELEASE_FOLDER) "$(KEY)"

check-sbom:  ## validate the bills of materials of a release
	python3 -m venv .build/sbom && .build/sbom/bin/pip install --quiet \
		--disable-pip-version-check -r Tools/release/requirements.txt
	.build/sbom/bin/python Tools/release/sbom_check.py $(RELEASE_FOLDER)

sign-release:  ## sign the hashes of a release: KEY=FILE with an Ed25519 key of OpenSSH
	python3 Tools/release/sign.py "$(KEY)" $(RELEASE_FOLDER)/SHA256SUMS

try-release:  ## install the packages in clean Debians 12 and 13, and use them (root)
	sh Tools/release/try.sh bookworm $(RELEASE_FOLDER)
	sh Tools/release/try.sh trixie $(RELEASE_FOLDER)

try-image:  ## run the container image of a release with podman (root)
	sh Tools/release/try-image.sh $(RELEASE_FOLDER)

clean:  ## remove all build products
	rm -rf .build Tests/Fuzz/.build Tests/Interop/.venv
