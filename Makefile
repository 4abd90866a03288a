# What is needed: Go, gcc (for the race detector only), make and git.
# `make help` lists the targets.

GO          ?= go
NP          ?= 4
FUZZTIME    ?= 60s
BENCHTIME   ?= 1s
TIMEOUT     ?= 10m
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The modules of this repository. The root comes last, so that its tests end the
# output. The generator of the kernels, reduce/_asm, only runs in generate.
MODULES   := cmd/arbench bench .
PLATFORMS := linux/arm64 darwin/arm64
TESTFLAGS := -timeout $(TIMEOUT)

# A checkout that git does not trust, as in a container, still builds.
VCS := $(shell git rev-parse HEAD >/dev/null 2>&1 && echo auto || echo false)

# The steps share one machine, on which some tests measure time, and one terminal.
.NOTPARALLEL:

# in-modules runs a command in each module and says so.
define in-modules
@for m in $(1); do echo "== $$m: $(2)"; (cd $$m && $(2)) || exit 1; done
endef

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r t d; do printf '%-16s %s\n' "$$t" "$$d"; done

.PHONY: run
run: build ## measure AllReduce between NP=4 local ranks, with table and plot
	@mkdir -p out
	bin/arbench -np $(NP) --plot out/busbw.png
	@echo "The picture is in out/busbw.png"

.PHONY: build
build: ## build bin/arbench
	@mkdir -p bin
	cd cmd/arbench && $(GO) build -buildvcs=$(VCS) -o ../../bin/arbench .

.PHONY: test
test: vet cross test-purego test-nocgo test-race ## everything that must hold before a commit

.PHONY: test-race
test-race: ## all tests, with the race detector (needs gcc)
	$(call in-modules,$(MODULES),CGO_ENABLED=1 $(GO) test -race $(TESTFLAGS) ./...)

.PHONY: test-nocgo
test-nocgo: ## the library's tests as a build without C sees them
	$(call in-modules,.,CGO_ENABLED=0 $(GO) test $(TESTFLAGS) ./...)

.PHONY: test-purego
test-purego: ## the kernels' tests without assembly
	$(call in-modules,.,CGO_ENABLED=0 $(GO) test $(TESTFLAGS) -tags purego ./reduce/...)

.PHONY: cross
cross: $(PLATFORMS:%=cross/%) ## build for the other platforms

.PHONY: $(PLATFORMS:%=cross/%)
$(PLATFORMS:%=cross/%): cross/%:
	$(call in-modules,$(MODULES),CGO_ENABLED=0 GOOS=$(*D) GOARCH=$(*F) $(GO) build -buildvcs=false -o /dev/null ./...)

.PHONY: vet
vet: ## gofmt and go vet
	@echo "== gofmt -l"
	@files=$$(find . -name '*.go' -not -path './.*' -not -path '*/testdata/*' | xargs gofmt -l) && \
	  test -z "$$files" || { echo "not formatted; run gofmt -w on:"; echo "$$files"; exit 1; }
	$(call in-modules,$(MODULES),$(GO) vet ./...)

.PHONY: lint
lint: vet ## vet, and staticcheck (which is downloaded)
	$(call in-modules,$(MODULES),$(GO) run $(STATICCHECK) ./...)

.PHONY: fuzz-short
fuzz-short: ## run each fuzz target of all modules for FUZZTIME=60s
	@for f in $$(grep -rl --include='*_test.go' --exclude-dir='.?*' '^func Fuzz' . | sort); do \
	  for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$f); do \
	    echo "== $$target in $$f for $(FUZZTIME)"; \
	    (cd $$(dirname $$f) && $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $(TESTFLAGS) .) || exit 1; \
	  done; \
	done

.PHONY: bench
bench: ## measure the kernels beside C, and the layers one by one
	bench/ckernel/compare.sh
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) -timeout 60m ./reduce/... ./transport/... ./allreduce

.PHONY: peers
peers: ## install and build the peers' benchmarks (Open MPI, MPICH, Gloo)
	$(MAKE) -C bench/peers

.PHONY: bench-vs
bench-vs: build peers ## measure beside the peers, in one run: VSFLAGS=, about an hour; --quick is shorter
	@mkdir -p out
	bin/arbench --vs all -np 2,4,8 -t shm --csv out/vs-shm.csv -J out/vs-shm.json --plot out/vs-shm.svg $(VSFLAGS) | tee out/vs-shm.md
	bin/arbench --vs all -np 2,4,8 -t tcp --memory registered,ordinary --csv out/vs-tcp.csv -J out/vs-tcp.json --plot out/vs-tcp.svg $(VSFLAGS) | tee out/vs-tcp.md

.PHONY: generate
generate: ## write the generated code again
	$(GO) generate ./...

.PHONY: generate-check
generate-check: generate ## fail when the committed generated code is out of date
	@git diff --exit-code -- $$(git grep -l '^// Code generated .* DO NOT EDIT\.$$' -- '*.go' '*.s') || \
	  { echo "generated code is out of date; commit what make generate writes"; exit 1; }

.PHONY: clean
clean: ## remove what was built and measured
	rm -rf bin out
