# Errata. `make help` lists what can be made.
SHELL := /bin/sh
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
PROGRAMS := ingest dashboard devstack demo
DATA ?=
CORPUS ?=

.PHONY: bench bench-full help demo test check build programs engine vendor axe deps generate stats torture corpus clean

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## the whole path on this machine: DATA='a.jsonl b.json' for your own transcripts
	@exec bin/demo $(DATA)

test: engine vendor axe ## every test
	$(GO) test -timeout 30m ./...

check: engine vendor axe ## what CI runs: formatting, vet, staticcheck, generated files, every test with the race detector
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not formatted:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(MAKE) generate
	@git diff --exit-code -- '*_templ.go' go.mod go.sum || { echo "generated files are not fresh: run make generate and commit"; exit 1; }
	$(GO) test -race -timeout 30m ./...

build: engine vendor programs ## bin/ingest, bin/dashboard, bin/devstack, bin/demo and what they load
	@cmp -s .engine/engine.version bin/engine.version || { ln -f .engine/libchdb.so bin/libchdb.so 2>/dev/null || cp .engine/libchdb.so bin/; cp .engine/engine.version bin/; }

programs: ## the programs alone
	@mkdir -p bin
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ $(addprefix ./cmd/,$(PROGRAMS))

engine: ## the embedded ClickHouse engine, from npm, into .engine
	@internal/devstack/fetch.sh

vendor: ## the chart script, from npm, into web/static/vendor
	@web/static/fetch.sh

axe: ## axe-core, from npm, into .browser: the tests let it judge every page for accessibility
	@internal/browser/fetch.sh

deps: engine vendor axe ## everything that the build and the tests fetch
	$(GO) mod download

generate: ## the Go files made from templ
	$(GO) tool templ generate

bench: build ## ingest beside what only copies and what only reads; fails where a stated bound is missed
	$(GO) run ./internal/bench -runs 5000
	$(GO) run ./internal/bench -growth 100000
	$(GO) test ./pipeline -run XXX -bench Step -benchmem
	$(GO) run ./internal/bench -history 1000000,10000000
	$(GO) test ./web/browsertest -run '^$$' -bench Pages -benchtime 5x
	$(GO) test ./pipeline/format -run '^$$' -bench 'Dialects|Large' -benchtime 200ms -cpu 1 | awk '/^Benchmark/ { printf "%-44s %10s %-5s %12s %s\n", $$1, $$5, $$6, $$7, $$8 }'

bench-full: build ## every page's question over histories of 1, 10 and 100 million calls
	$(GO) run ./internal/bench -history 1000000,10000000,100000000

stats: ## simulations of every interval and verdict
	$(GO) run ./internal/statscheck

torture: build ## kill ingesters and engines at random, compare every row; ERRATA_CORPUS=DIR adds real runs; some minutes
	$(GO) run ./internal/torture

corpus: programs ## check every transcript below CORPUS=DIR
	@test -n "$(CORPUS)" || { echo "make corpus: say where the transcripts are: CORPUS=DIR"; exit 2; }
	bin/ingest check $(CORPUS) || test $$? -eq 1 # rejects are in the table

clean: ## remove what was built and fetched; keeps the demo's data
	rm -rf bin .engine .browser web/static/vendor/*.js web/static/vendor/*.version
