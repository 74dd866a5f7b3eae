# Gati on Kubernetes. "make help" lists the targets.
SHELL := /usr/bin/env bash -euo pipefail
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# Without paths in what it builds, Go's cache serves every clone of the repository, and
# tests share the compiled libraries of the programs.
export GOFLAGS := $(filter-out -trimpath,$(shell go env GOFLAGS)) -trimpath

VERSION ?= v0.1.0
BIN := bin
# Without the tag grpc registers pages that need templates, and with templates the linker keeps
# every exported method of Kubernetes' types: 20 MB that gati-webhook never calls.
GO_BUILD := CGO_ENABLED=0 go build -tags grpcnotrace
RELEASE_FLAGS := -s -w -X gati.dev/gati/cmd/gati-webhook/app.release=$(VERSION) -X gati.dev/gati/pkg/cli/version.release=$(VERSION)

# The packages that need no cluster, and those that do.
UNIT := ./api/... ./cmd/... ./hack/... ./internal/... ./manifests/... ./pkg/... ./test/support/... ./test/walls
# The suites on clusters run in lanes that end at about the same time. The long ones wait most
# of the time and begin in this order, so that none of them runs alone at the end.
LONG := $(addprefix ./test/cluster/,rollout integration install targets weather)
# These run controllers and webhooks within the test program. The one that waits least begins,
# while the long suites wait.
COVERING := $(addprefix ./test/,cluster/plugin unitcluster/certificates unitcluster/target)
# These run in the place of COVERING when that has ended, those that wait little at the end.
BRISK := $(addprefix ./test/,cluster/gitops security unitcluster/policy unitcluster/api)
# Each of the others is short. Those that wait most begin, while the other lanes compute.
WAITING := $(addprefix ./test/,programs/app cluster/observed bench/fleet)
# This one begins when the tests of test-beside have ended, and takes the CPU that those have taken.
LATE := ./test/cluster/upgrade
ELSEWHERE := $(addprefix ./test/,e2e walls programs/krew programs/chart)
SHORT = $(WAITING) $$(go list ./test/... | grep -v ^gati.dev/gati/test/support/ | grep -vxF $(patsubst ./%,-e gati.dev/gati/%,$(ELSEWHERE) $(LONG) $(COVERING) $(BRISK) $(WAITING) $(LATE)))
COVERED := ./pkg/controller/...,./pkg/target/...,./pkg/webhook/...
# The scenarios on real pods that every change has to pass.
SMOKE := ^(TestInstallFromNothing|TestTheSampleServes|TestRollingUpdateUnderLoad|TestABadVersionHarmsNobody|TestKillOfTheLeaderUnderApplies|TestCanaryUnderLoad|TestRollbackOfACanaryUnderLoad|TestARollbackFromHalfTakesSeconds|TestACanaryThatCrashesTakesNoTraffic|TestAnalysisOfACanary|TestDrainByEvidence)$$/^(it_.*|errors|a_pinned_client)$$
# The packages that start goroutines, those that many call at once, and the machine that
# these call: their tests run under the race detector, those that wait most first.
RACE := $(addprefix ./pkg/,signals notify cli/status cli/doctor controller/handler observe cli/cluster cli/logs cli/lint compat cli rollout schema tui \
  target/gitops/repository target/kubernetes webhook/admission webhook/certs webhook/guard webhook/ready) ./cmd/gati-webhook/app
# Those of them that record coverage under the detector. The other controllers, targets and
# webhooks record it without, since both together slow their tests down.
RACE_COVERED := $(addprefix ./pkg/,target/gitops/repository target/kubernetes webhook/admission webhook/certs webhook/guard webhook/ready)
# Of these most tests have one goroutine or do the same often. All of them run without the
# detector, and the others once more with it.
RACE_IN_PART := $(addprefix ./pkg/,cli rollout schema tui)
RACE_PARTS := Cache|Concurrent|NextKeepsItsPromises|Leave|CommandsUseTheirRights|Defect

# The tests of these compute, and have no deadline that they could miss on a busy machine.
COMPUTING := ./api/... ./hack/... ./internal/... ./manifests/... $(addprefix ./pkg/,admit/... analysis decide defaulting diagnose expand/... facts \
  helmchart metrics naming ownership printable records request rollout scaffold schema seen status validation)
RACE_COMPUTING := $(addprefix ./pkg/,rollout schema)

comma := ,
space := $(subst ,, )

# Without cgo Go links test programs by itself, and leaves out what they never call:
# with it the package plugin, which kustomize imports, keeps everything.
TEST := CGO_ENABLED=0 go test
# A test that builds counts that as its time, which is minutes on a cold machine.
PATIENT := -timeout 30m
# Of the modules that .ci/run vets as a whole, so that no package is vetted twice.
TEST_VETTED := $(TEST) $(PATIENT) -vet=off
# The race detector needs cgo. The tag takes the package plugin from kustomize.
TEST_RACE := CGO_ENABLED=1 go test $(PATIENT) -vet=off -race -tags kustomize_disable_go_plugin_support
# Who has memory to spare and collects garbage less often saves a quarter of the CPU:
# compilers, test programs, and the processes of test clusters. These also get one thread each:
# several look for work that others have taken, which costs CPU.
SPARING := GOGC=300 DEVCLUSTER_ENV="GOGC=300 GOMAXPROCS=1"

# test builds what its tests run once, and then says so to each make that it starts.
BUILT :=
ASSETS := $(if $(BUILT),,assets)
GITOPS_TOOLS := $(if $(BUILT),,gitops-tools)

.PHONY: help
help: ## Show this help
	@sed -nE 's/^([a-z-]+):.*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

.PHONY: build
build: ## Build gati-webhook, kubectl-gati and devcluster into bin/
	@mkdir -p $(BIN)
	$(GO_BUILD) -ldflags "$(RELEASE_FLAGS)" -o $(BIN)/ ./cmd/gati-webhook ./cmd/kubectl-gati
	CGO_ENABLED=0 go build -C devcluster -ldflags "-s -w" -o ../$(BIN)/devcluster ./cmd/devcluster

.PHONY: demo
demo: build $(if $(NODES),image assets-real,$(if $(KUBECONFIG),,assets)) ## Start a local cluster, or take that of KUBECONFIG, and give the README's tour; NODES=real, as root: with pods that answer
	@go run ./hack/demo up $(NODES)

.PHONY: demo-down
demo-down: build ## Remove all that demo made
	@go run ./hack/demo down

# The suites on clusters wait more than they compute, so they run beside each other, and what
# needs no cluster fills the time in which all of them wait: as much of it as there is such
# time. The rest runs before: beside all of it an API server that shares two cores does not
# answer in time.
.PHONY: test
test: ## Run every test: unit, property, golden, fuzz seeds, and those against a real API server; then print the CPU that they took
	+@hack/timed $(MAKE) --no-print-directory test-all

.PHONY: test-all
test-all: test-programs
	+$(MAKE) --no-print-directory -j4 --output-sync=line BUILT=true race-whole race-in-part plain test-devcluster
	+$(MAKE) --no-print-directory -j4 --output-sync=line BUILT=true $(CLUSTER_TARGETS) test-late-beside
	hack/cover $(BIN)/cover-unit.out $(BIN)/cover-race.out $(BIN)/cover-cluster.out

# Compiled before the suites begin: in their midst it takes the time that their clusters need.
.PHONY: test-programs
test-programs: assets gitops-tools ## Build what the tests run, and compile the other modules that test runs
	@for tool in helm krew validate-krew-manifest cosign; do hack/tool $$tool > /dev/null; done
	for module in schemadiff gitops flux certmanager keda; do CGO_ENABLED=0 go vet -C test/programs/$$module ./...; done
	CGO_ENABLED=0 go vet -C hack/release ./...
	CGO_ENABLED=0 go vet -C devcluster ./...

OTHERS := test-release test-krew test-chart test-runtime test-schemadiff test-gitops test-certmanager test-keda

.PHONY: test-others
test-others: test-devcluster $(OTHERS) ## Run what test runs in other modules and by other programs

# These have as long as the suites beside them take. Their jobs are counted apart: of the jobs
# of test they would take those of the suites, which would begin when these have ended.
.PHONY: test-beside
test-beside: ## Run what test runs beside the suites on clusters, at the lowest priority
	+nice -n 19 $(MAKE) --no-print-directory -j2 --output-sync=line covered computing race-computing $(OTHERS)

.PHONY: test-late-beside
test-late-beside: test-beside
	+$(MAKE) --no-print-directory test-late

UNIT_TARGETS := race plain covered computing
# How many packages without a cluster are tested side by side in each of them: some wait.
UNITS := -p 3

.PHONY: unit
unit: ## Run the tests that need no cluster: those of packages with goroutines under the race detector
	+$(MAKE) --no-print-directory -j3 --output-sync=line $(UNIT_TARGETS)

.PHONY: plain
plain: ## Run the tests of unit that none of the other targets runs
	$(SPARING) $(TEST_VETTED) $(UNITS) $$(go list $(UNIT) | grep -vE '/($(subst $(space),|,$(patsubst ./%/...,%,$(subst $(comma), ,$(COVERED)))))(/|$$)' | grep -vxF -f <(go list $(COMPUTING)) | grep -vxF $(patsubst ./%,-e gati.dev/gati/%,$(filter-out $(RACE_IN_PART),$(RACE))))

.PHONY: computing
computing: ## Run the tests of packages that only compute
	$(SPARING) $(TEST_VETTED) $(UNITS) $(COMPUTING)

# Each notes what it reaches of its own package: with -coverpkg go test links all that is
# covered into every test program.
.PHONY: covered
covered: ## Run the tests of controllers, targets and webhooks that need no cluster, and note what they reach
	@mkdir -p $(BIN)
	$(SPARING) $(TEST_VETTED) $(UNITS) -coverprofile=$(BIN)/cover-unit.out $$(go list $(subst $(comma), ,$(COVERED)) | grep -vxF $(patsubst ./%,-e gati.dev/gati/%,$(RACE_COVERED)))

.PHONY: race
race: race-whole race-in-part race-computing ## Run the tests of packages with goroutines under the race detector

.PHONY: race-whole
race-whole:
	$(SPARING) $(TEST_RACE) $(UNITS) -skip '^TestALongLife$$' $(filter-out $(RACE_IN_PART) $(RACE_COVERED),$(RACE))

.PHONY: race-in-part
race-in-part:
	@mkdir -p $(BIN)
	$(SPARING) $(TEST_RACE) $(UNITS) -coverprofile=$(BIN)/cover-race.out $(RACE_COVERED)
	$(SPARING) $(TEST_RACE) $(UNITS) -run '$(RACE_PARTS)' $(filter-out $(RACE_COMPUTING),$(RACE_IN_PART))

.PHONY: race-computing
race-computing:
	$(SPARING) $(TEST_RACE) $(UNITS) -run '$(RACE_PARTS)' $(RACE_COMPUTING)

.PHONY: assets
assets: build ## Build the control plane that tests and demo run on, unless it is in the cache
	@$(BIN)/devcluster assets > $(BIN)/assets
	@echo "control plane in $$(cat $(BIN)/assets)"

# What the npm package is tested and checked with, installed anew when its lock changes.
runtime/node_modules/.package-lock.json: runtime/package-lock.json
	npm ci --prefix runtime --no-audit --no-fund
	@touch $@

.PHONY: test-runtime
test-runtime: runtime/node_modules/.package-lock.json ## Run the tests of the npm package gati-kubernetes
	npm test --prefix runtime --silent

.PHONY: bench-runtime
bench-runtime: runtime/node_modules/.package-lock.json ## Measure the time per hop of a chain of transformers
	node runtime/test/bench.js

.PHONY: gitops-tools
gitops-tools: ## Build Argo CD's and Flux's own comparing and applying for the tests, each in its Go module
	CGO_ENABLED=0 go build -C test/programs/gitops -o $(CURDIR)/$(BIN)/argocd ./argocd
	CGO_ENABLED=0 go build -C test/programs/flux -o $(CURDIR)/$(BIN)/flux .

.PHONY: test-schemadiff
test-schemadiff: ## Hold the comparison of schemas against oasdiff, in a Go module of its own
	$(SPARING) $(TEST) -C test/programs/schemadiff $(PATIENT) -vet=off ./...

.PHONY: test-gitops
test-gitops: ## Show each state, and the objects of the target gitops, to Argo CD's and Flux's own code, in Go modules of their own
	$(SPARING) $(TEST) -C test/programs/gitops $(PATIENT) -vet=off -count=1 ./... # what it reads is outside its module
	$(SPARING) $(TEST) -C test/programs/flux $(PATIENT) -vet=off -count=1 ./... # the same

.PHONY: test-certmanager
test-certmanager: ## Hold the overlay for cert-manager against cert-manager's own types, in a Go module of its own
	$(SPARING) $(TEST) -C test/programs/certmanager $(PATIENT) -vet=off -count=1 ./... # what it reads is outside its module

.PHONY: test-chart
test-chart: ## Let helm render and lint charts/gati, and hold what comes against manifests/
	GATI_HELM=$$(hack/tool helm) $(SPARING) $(TEST_VETTED) -count=1 ./test/programs/chart # what it reads is no Go code

.PHONY: test-keda
test-keda: ## Hold ScaledObjects against KEDA's own CRD and admission, in a Go module of its own
	$(SPARING) $(TEST) -C test/programs/keda $(PATIENT) -vet=off -count=1 ./... # what it reads is outside its module

.PHONY: test-release
test-release: ## Make a release for this machine's platform twice, sign it, and read each file as its users do
	$(SPARING) $(TEST) -C hack/release $(PATIENT) -vet=off -count=1 ./... # what it builds is outside its module

.PHONY: test-devcluster
test-devcluster: $(ASSETS) ## Run the devcluster's own tests
	$(SPARING) DEVCLUSTER_TEST=1 $(TEST) -C devcluster $(PATIENT) -vet=off ./...

.PHONY: test-real-node
test-real-node: build assets-real ## Run the devcluster's tests with real nodes: on Linux, as root
	DEVCLUSTER_TEST_REAL=1 $(TEST) -C devcluster -count=1 -timeout 40m -run Real ./test

# How many of the long suites run side by side, each with its own cluster. They wait most of
# the time, and those that call kubectl all the time use a core.
SUITES ?= 2
TEST_CLUSTER = GATI_HELM=$$(hack/tool helm) $(SPARING) KUBEBUILDER_ASSETS=$$(cat $(BIN)/assets) GATI_BIN=$(CURDIR)/$(BIN) $(TEST_VETTED) -count=1

CLUSTER_TARGETS := test-brisk test-long test-short

.PHONY: test-cluster
test-cluster: ## Run the tests against a real API server and its controllers
	+$(MAKE) --no-print-directory -j4 --output-sync=line $(CLUSTER_TARGETS) test-late

.PHONY: test-covering
test-covering: $(ASSETS) ## Run the tests that reach controllers, targets and webhooks within the test program
	$(TEST_CLUSTER) -p 1 -coverpkg=$(COVERED) -coverprofile=$(BIN)/cover-cluster.out $(COVERING)

.PHONY: test-brisk
test-brisk: test-covering ## Run tests against a real API server, most of which wait little, after those that note what they reach
	$(TEST_CLUSTER) -p 1 $(BRISK)

.PHONY: test-long
test-long: $(ASSETS) $(GITOPS_TOOLS) ## Run the long tests against a real API server
	$(TEST_CLUSTER) -p $(SUITES) $(LONG)

.PHONY: test-short
test-short: $(ASSETS) ## Run the other tests against a real API server, and those of applications, their signals and their monitoring
	$(TEST_CLUSTER) -p 1 $(SHORT)

.PHONY: test-late
test-late: $(ASSETS) ## Run the tests against a real API server that begin when those at the lowest priority have ended
	$(TEST_CLUSTER) -p 1 $(LATE)

.PHONY: cover
cover: unit test-covering ## Print how much of controllers, targets and webhooks the tests reach, those of unit included
	hack/cover $(BIN)/cover-unit.out $(BIN)/cover-race.out $(BIN)/cover-cluster.out

.PHONY: one
one: build ## Run the tests of PKG that match RUN with all that they need: PKG=test/cluster/rollout RUN=TestSupersededCanary
	hack/one '$(PKG)' '$(RUN)'

# What a real node, its gateway and Prometheus are made of; the first build takes minutes.
.PHONY: assets-real
REAL = --nodes real --gateway traefik --prometheus --network-policies
assets-real: build
	@$(BIN)/devcluster assets $(REAL) > /dev/null

# Only a KUBECONFIG that make itself is called with: the scenarios remove the Gati
# that a cluster has, and the environment's may be of one that is in use.
E2E_ON = $(if $(filter command,$(origin KUBECONFIG)),GATI_TEST_KUBECONFIG=$(abspath $(KUBECONFIG)),$(if $(RUN),GATI_E2E_DIR=$(CURDIR)/.devcluster/e2e))
# KEDA takes long to build, and one test needs it.
E2E_KEDA = $(if $(findstring KEDA,$(or $(RUN),KEDA)),--keda)
E2E = GATI_HELM=$$(hack/tool helm) GATI_BIN=$(CURDIR)/$(BIN) GATI_IMAGE=$(CURDIR)/dist/gati-webhook.tar $(E2E_ON) $(TEST) -count=$(or $(TIMES),1) -v

.PHONY: e2e
e2e: build image assets-real ## Run the scenarios on real pods, as root: all, or those that match RUN on a cluster that is kept for the next time; TIMES=3: each so often; KUBECONFIG=file: on a test cluster that is there already
	$(if $(E2E_KEDA),$(BIN)/devcluster assets $(REAL) $(E2E_KEDA) > /dev/null)
	GATI_E2E_FLAGS=$(E2E_KEDA) $(E2E) -timeout $(or $(TIMES),1)20m -run '$(RUN)' ./test/e2e

.PHONY: e2e-smoke
e2e-smoke: build image assets-real ## Run the scenarios on real pods that every change has to pass
	$(E2E) -timeout 60m -run '$(SMOKE)' ./test/e2e

.PHONY: e2e-down
e2e-down: build ## Remove the cluster that "make e2e RUN=…" has kept
	$(BIN)/devcluster down --dir .devcluster/e2e

.PHONY: bench
bench: build ## Measure what the budgets of docs/architecture.md speak of; median of five
	$(TEST) -count=1 -v -run '^TestBench' ./test/bench -args -rounds 5
	$(TEST) -C test/programs/schemadiff -count=1 -v -run '^TestBench' . -args -rounds 5

BENCH_CLIENTS := 1,10,50,200
FLEET_PHASES := create,idle,one,restart,steady,foreign,change,canary,delete,admission
FLEET_SUBJECTS := bare client$(comma)Deployments alone$(comma)gati

# SIZES=300,1000; OUT=file: figures as file.json, file.md and file.txt, for benchstat.
# Several runs beside each other: go run ./test/bench/fleet/medians first.json second.json …
.PHONY: bench-fleet
bench-fleet: assets ## Measure what SIZES (300) handlers cost a cluster, beside a client that creates their children itself
	KUBEBUILDER_ASSETS=$$(cat $(BIN)/assets) GATI_BIN=$(CURDIR)/$(BIN) $(TEST) -count=1 -v -timeout 5h -run '^TestBenchFleet$$' ./test/bench/fleet -args -sizes $(or $(SIZES),300) -steady $(or $(STEADY),1m) -quiet 6s -canaries 15 -clients $(or $(CLIENTS),$(BENCH_CLIENTS)) -requests 500 -foreign $(or $(FOREIGN),1000) -phases $(or $(PHASES),$(FLEET_PHASES)) -subjects '$(or $(SUBJECTS),$(FLEET_SUBJECTS))' $(if $(OUT),-o $(abspath $(OUT))) $(if $(PROFILES),-profiles $(abspath $(PROFILES))) $(PEER)

.PHONY: soak
soak: assets gitops-tools ## Run a test in its long form: NAME=autoscalerSwitches, anAutoscalersNumberStays, analysis, overload, rotation, kills, killsAroundAPush, clocks, manyCanaries, newHandlersOfASlowCluster, steadyStateWritesNothing, killsDuringAppliesLoseNothing, everyVerbLeadsToTheSame, everyVerbInEveryPhase, everyWaitEnds, answers, recordsAnswers, theSameManifestChangesNothing, argoCDSeesNoDrift, fluxSeesNoDrift, fluxSyncs, samplesAsTheyAreInDefault, samplesThroughV1, everyFieldIsPutBack, kubernetesSurvivesAKillAtEachWrite, helmSurvivesAKillAtEachWrite, theGrammarIsThatOfParse, applyWithoutWebhook, oneInstallOverAnother, installation, installTourUninstall, diffOfEdits, diffAgreesWithApply, everyRequest, nextKeepsItsPromises, simulation, smallUniverse, costlyPairs, silentAndSlowConnections, everyListenerIsGuarded, forgedReviewsTakeLittle, targetsAgree, targetsAgreeOnAutoscalers, targetsSurviveKills, twoWritersRace, aLongLife, applyOfBadFiles, newDefaultsRollNothing, upgradeInMidRollout, promtoolTestsTheRules, theTableOfBreakingVersions, whatTheAPIServerRefusesForRealHeals or weather
	name=$(NAME); in=$$(grep -rlE "^func Test$${name^}\(" test pkg); \
	  GATI_HELM=$$(hack/tool helm) KUBEBUILDER_ASSETS=$$(cat $(BIN)/assets) GATI_BIN=$(CURDIR)/$(BIN) GATI_SOAK=$$name $(SPARING) $(TEST) -count=1 -v -timeout 60m -run "^Test$${name^}\$$" ./$$(dirname $$in)

.PHONY: fuzz
fuzz: ## Fuzz every target for FUZZTIME (30s) each, or those that match FUZZ
	hack/fuzz $(or $(FUZZTIME),30s) '$(FUZZ)'

.PHONY: lint
lint: ## Run golangci-lint over the modules that are shipped or that make what is
	lint=$$(hack/tool golangci-lint); $$lint run --allow-parallel-runners ./...; \
	  for module in devcluster hack/release; do (cd $$module; $$lint run --allow-parallel-runners --config $(CURDIR)/.golangci.yml ./...); done

.PHONY: generate
generate: ## Write what is generated: deepcopy, CRDs, install.yaml, templates of the chart, pages of docs
	gen=$$(hack/tool controller-gen); \
	  $$gen object paths=./api/... paths=./pkg/keda/...; \
	  $$gen crd:maxDescLen=220 paths=./api/... output:crd:dir=manifests/crd
	go run ./hack/crds manifests/crd/*.yaml
	go run ./hack/render -o manifests/install.yaml
	go run ./hack/chart -o charts/gati/templates
	whole=$$(mktemp -d); trap 'rm -r $$whole' EXIT; gen=$$(hack/tool controller-gen); \
	  $$gen crd paths=./api/... output:crd:dir=$$whole; \
	  go run ./hack/fields -crds $$whole -o docs/crds.md
	go run ./hack/schemas -o docs/schema-compatibility.md
	go run ./hack/cli -o docs/cli

.PHONY: verify
verify: runtime/node_modules/.package-lock.json ## Check that everything generated is current; eslint and types of the npm package
	hack/verify
	npm run lint --prefix runtime --silent

.PHONY: image
image: ## Build the image of gati-webhook without Docker, as dist/gati-webhook.tar
	@mkdir -p dist
	$(GO_BUILD) -ldflags "$(RELEASE_FLAGS)" -o dist/gati-webhook ./cmd/gati-webhook
	go run ./hack/image -binary dist/gati-webhook -o dist/gati-webhook.tar -tag gati.dev/gati-webhook:$(VERSION)

.PHONY: image-sample
image-sample: ## Build the image of samples/app without Docker, as dist/sample-app.tar
	@mkdir -p dist
	go run ./hack/sample -o dist/sample-app.tar

.PHONY: package
package: ## Build the plugin's archives, krew.yaml and the npm package into dist/, twice: they are to be the same
	hack/package.sh -version $(VERSION) -twice
	hack/npm-pack $(VERSION)

.PHONY: release
release: ## Build all files of a release into dist/, twice: they are to be the same; SOURCE and BUILDER are for the provenance
	go run -C hack/release . -version $(VERSION) -twice $(if $(SOURCE),-source '$(SOURCE)') $(if $(BUILDER),-builder '$(BUILDER)')

# With a key nothing leaves this machine. Without one, cosign asks Sigstore for a
# certificate of who runs it, and writes the signature into its log.
.PHONY: sign
sign: ## Sign the checksums in DIST (dist) with cosign: by KEY=cosign.key, or keyless without it
	$$(hack/tool cosign) sign-blob --yes $(if $(KEY),--key $(KEY) --signing-config hack/release/signing-config.json) \
	  --bundle $(or $(DIST),dist)/checksums.txt.sigstore.json $(or $(DIST),dist)/checksums.txt

.PHONY: test-krew
test-krew: $(ASSETS) ## Let krew itself install, run, upgrade and uninstall the plugin
	$(SPARING) GATI_KREW=$$(hack/tool krew) GATI_KREW_VALIDATOR=$$(hack/tool validate-krew-manifest) GATI_KUBECTL=$$(cat $(BIN)/assets)/kubectl $(TEST_VETTED) -count=1 ./test/programs/krew
