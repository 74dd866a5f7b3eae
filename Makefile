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

# The packages that need no cluster, those that need a control plane, and those that drive other
# projects' programs. test/e2e needs real pods.
UNIT := ./api/... ./cmd/... ./hack/... ./internal/... ./manifests/... ./pkg/... ./test/support/... ./test/walls
CLUSTER = $$(go list ./test/cluster/... ./test/unitcluster/... ./test/security/... ./test/bench/... | grep -v /observed$$)
PEERS := ./test/programs/... ./test/cluster/observed
EMITTERS := test/programs/schemadiff/emitters
PEER_MODULES := hack/release $(addprefix test/programs/,schemadiff gitops certmanager keda)
# What hack/cover holds a share of, and the suite that reaches it beside the unit tests.
COVERED := ./pkg/controller/...,./pkg/target/...,./pkg/webhook/...
# The scenarios on real pods that every change has to pass.
SMOKE := ^(TestInstallFromNothing|TestTheSampleServes|TestRollingUpdateUnderLoad|TestABadVersionHarmsNobody|TestKillOfTheLeaderUnderApplies|TestCanaryUnderLoad|TestRollbackOfACanaryUnderLoad|TestARollbackFromHalfTakesSeconds|TestACanaryThatCrashesTakesNoTraffic|TestAnalysisOfACanary|TestACanaryWithoutAnAnalysis|TestDrainByEvidence)$$/^(it_.*|errors|a_pinned_client)$$

comma := ,
# Without cgo Go links test programs by itself, and leaves out what they never call. A test
# that builds counts that as its time. .ci/run vets all modules as a whole.
FLAGS := -timeout 60m -vet=off
TEST := CGO_ENABLED=0 go test $(FLAGS)
# The race detector needs cgo. The tag takes the package plugin from kustomize.
TEST_RACE := CGO_ENABLED=1 go test $(FLAGS) -race -tags kustomize_disable_go_plugin_support
# Less frequent garbage collection saves a quarter of the CPU. The processes of test clusters
# get one thread each: several look for work that others have taken.
SPARING := GOGC=300 DEVCLUSTER_ENV="GOGC=300 GOMAXPROCS=1"
# Suites on clusters wait most of the time, so more of them run than there are cores. How many
# have a control plane at a time is bounded by test/support/place.
SIDE_BY_SIDE := -p $(shell cores=$$(getconf _NPROCESSORS_ONLN); echo $$((cores > 4 ? cores : 4)))
# Programs that a test runs are no inputs of Go's test cache.
TEST_CLUSTER = $(SPARING) GATI_BIN=$(CURDIR)/$(BIN) $(TEST) -count=1 $(SIDE_BY_SIDE)

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

.PHONY: presubmit
presubmit: ## Run what has to pass before a change is merged, each stage with its time
	hack/presubmit

.PHONY: unit
unit: ## Run the tests that need no cluster; those of packages with goroutines under the race detector as well
	$(SPARING) $(TEST_RACE) $(SIDE_BY_SIDE) $$(go run ./hack/goroutines $(UNIT))
	$(SPARING) $(TEST) $(SIDE_BY_SIDE) $(UNIT)

.PHONY: test
test: assets unit ## Run every test but those of other projects' programs and those on real pods
	DEVCLUSTER_TEST=1 $(SPARING) CGO_ENABLED=0 go test -C devcluster $(FLAGS) ./...
	$(TEST_CLUSTER) $(CLUSTER)

.PHONY: test-peers
test-peers: assets gitops-tools runtime/node_modules/.package-lock.json $(EMITTERS)/node_modules/.package-lock.json ## Run the tests that build and drive other projects' programs: helm, krew, cosign, oasdiff, Argo CD, Flux, KEDA, cert-manager, Prometheus, npm
	$(PEER_ENV) $(TEST_CLUSTER) $(PEERS)
	$(PEER_ENV) $(TEST_CLUSTER) -run '^Test(Helm|ArgoCD|Flux)' ./test/unitcluster/target ./test/cluster/rollout ./test/cluster/install
	for module in $(PEER_MODULES); do $(SPARING) CGO_ENABLED=0 go test -C $$module $(FLAGS) -count=1 ./...; done
	npm test --prefix runtime --silent

.PHONY: test-oldest
test-oldest: build ## Run the tests of the API and of the policies on the oldest Kubernetes that is supported
	@$(BIN)/devcluster assets --nodes none --oldest > $(BIN)/assets-oldest
	@"$$(cat $(BIN)/assets-oldest)/kube-apiserver" --version
	KUBEBUILDER_ASSETS=$$(cat $(BIN)/assets-oldest) $(TEST_CLUSTER) ./test/unitcluster/api ./test/unitcluster/policy

PEER_ENV = GATI_TEST_PEERS=1 GATI_HELM=$$(hack/tool helm) GATI_KREW=$$(hack/tool krew) \
  GATI_KREW_VALIDATOR=$$(hack/tool validate-krew-manifest) GATI_KUBECTL=$$(cat $(BIN)/assets)/kubectl

.PHONY: cover
cover: assets gitops-tools ## Print how much of controllers, targets and webhooks the tests reach, and fail below 75 %
	$(SPARING) $(TEST) -coverprofile=$(BIN)/cover-unit.out $(subst $(comma), ,$(COVERED))
	$(PEER_ENV) $(TEST_CLUSTER) -coverpkg=$(COVERED) -coverprofile=$(BIN)/cover-cluster.out ./test/unitcluster/target
	hack/cover $(BIN)/cover-unit.out $(BIN)/cover-cluster.out

.PHONY: assets
assets: build ## Build the control plane that tests and demo run on, unless it is in the cache
	@$(BIN)/devcluster assets > $(BIN)/assets
	@echo "control plane in $$(cat $(BIN)/assets)"

# What npm packages are tested and checked with, installed anew when their lock changes.
%/node_modules/.package-lock.json: %/package-lock.json
	npm ci --prefix $* --no-audit --no-fund
	@touch $@

.PHONY: bench-runtime
bench-runtime: runtime/node_modules/.package-lock.json ## Measure the time per hop of a chain of transformers
	node runtime/test/bench.js

.PHONY: gitops-tools
gitops-tools:
	CGO_ENABLED=0 go build -C test/programs/gitops -o $(CURDIR)/$(BIN)/argocd ./argocd
	CGO_ENABLED=0 go build -C test/programs/flux -o $(CURDIR)/$(BIN)/flux .

.PHONY: test-real-node
test-real-node: build assets-real ## Run the devcluster's tests with real nodes: on Linux, as root
	DEVCLUSTER_TEST_REAL=1 CGO_ENABLED=0 go test -C devcluster $(FLAGS) -count=1 -run Real ./test

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
	CGO_ENABLED=0 go test -C test/programs/schemadiff $(FLAGS) -count=1 -v -run '^TestBench' . -args -rounds 5

BENCH_CLIENTS := 1,10,50,200
FLEET_PHASES := create,idle,one,restart,steady,foreign,change,canary,delete,admission
FLEET_SUBJECTS := bare client$(comma)Deployments alone$(comma)gati

# SIZES=300,1000; OUT=file: figures as file.json, file.md and file.txt, for benchstat.
# Several runs beside each other: go run ./test/bench/fleet/medians first.json second.json …
.PHONY: bench-fleet
bench-fleet: assets ## Measure what SIZES (300) handlers cost a cluster, beside a client that creates their children itself
	KUBEBUILDER_ASSETS=$$(cat $(BIN)/assets) GATI_BIN=$(CURDIR)/$(BIN) $(TEST) -count=1 -v -timeout 5h -run '^TestBenchFleet$$' ./test/bench/fleet -args -sizes $(or $(SIZES),300) -steady $(or $(STEADY),1m) -quiet 6s -canaries 15 -clients $(or $(CLIENTS),$(BENCH_CLIENTS)) -requests 500 -foreign $(or $(FOREIGN),1000) -phases $(or $(PHASES),$(FLEET_PHASES)) -subjects '$(or $(SUBJECTS),$(FLEET_SUBJECTS))' $(if $(OUT),-o $(abspath $(OUT))) $(if $(PROFILES),-profiles $(abspath $(PROFILES))) $(PEER)

.PHONY: soak
soak: assets gitops-tools ## Run a test in its long form: NAME=autoscalerSwitches, anAutoscalersNumberStays, analysis, overload, rotation, kills, killsAroundAPush, clocks, manyCanaries, newHandlersOfASlowCluster, steadyStateWritesNothing, killsDuringAppliesLoseNothing, everyVerbLeadsToTheSame, everyVerbInEveryPhase, everyWaitEnds, answers, recordsAnswers, respelledSpecsChangeNothing, theSameManifestChangesNothing, fluxSyncs, healthyVersionsOfManyPods, samplesAsTheyAreInDefault, samplesThroughV1, everyFieldIsPutBack, kubernetesSurvivesAKillAtEachWrite, helmSurvivesAKillAtEachWrite, theGrammarIsThatOfParse, applyWithoutWebhook, oneInstallOverAnother, installTourUninstall, diffOfEdits, diffAgreesWithApply, everyRequest, nextKeepsItsPromises, simulation, smallUniverse, costlyPairs, patternEvolutions, silentAndSlowConnections, everyListenerIsGuarded, forgedReviewsTakeLittle, sizesOfHandlers, sizesOfPods, sizesOfModulesAndVersions, sizesOfAlphaElements, storedObjects, targetsAgree, targetsAgreeOnAutoscalers, targetsSurviveKills, twoWritersRace, aLongLife, applyOfBadFiles, newDefaultsRollNothing, upgradeInMidRollout, promtoolTestsTheRules, theTableOfBreakingVersions, whatTheAPIServerRefusesForRealHeals, losses, noisyNeighbour or weather
	name=$(NAME); in=$$(grep -rlE "^func Test$${name^}\(" test pkg); \
	  GATI_HELM=$$(hack/tool helm) KUBEBUILDER_ASSETS=$$(cat $(BIN)/assets) GATI_BIN=$(CURDIR)/$(BIN) GATI_SOAK=$$name GATI_TEST_PEERS=1 $(SPARING) $(TEST) -count=1 -v -timeout 60m -run "^Test$${name^}\$$" ./$$(dirname $$in)

.PHONY: fuzz
fuzz: ## Fuzz every target for FUZZTIME (30s) each, or those that match FUZZ
	hack/fuzz $(or $(FUZZTIME),30s) '$(FUZZ)'

.PHONY: lint
lint: ## Run golangci-lint over the modules that are shipped or that make what is
	lint=$$(hack/tool golangci-lint); $$lint run --allow-parallel-runners ./...; \
	  for module in devcluster hack/release; do (cd $$module; $$lint run --allow-parallel-runners --config $(CURDIR)/.golangci.yml ./...); done

.PHONY: generate
generate: ## Write what is generated: deepcopy, CRDs, install.yaml, templates of the chart, pages of docs
	hack/generate

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

# Where users find a release: files, image and chart, page. hack/release has the defaults and
# prints them.
PLACES = $(if $(SOURCE),-source '$(SOURCE)') $(if $(FILES),-files '$(FILES)') $(if $(REGISTRY),-registry '$(REGISTRY)') $(if $(SITE),-site '$(SITE)')

.PHONY: package
package: ## Build the plugin's archives, krew.yaml and the npm package into dist/, twice: they are to be the same
	hack/package.sh -version $(VERSION) $(PLACES) -twice
	hack/npm-pack $(VERSION)

.PHONY: release
release: ## Build all files of a release into dist/, twice: they are to be the same; FILES, REGISTRY, SITE and SOURCE say where users find them, SOURCE and BUILDER are in the provenance
	go run -C hack/release . -version $(VERSION) $(PLACES) -twice $(if $(BUILDER),-builder '$(BUILDER)')
	hack/npm-pack $(VERSION)

# With a key nothing leaves this machine. Without one, cosign asks Sigstore for a
# certificate of who runs it, and writes the signature into its log.
.PHONY: sign
sign: ## Sign the checksums in DIST (dist) with cosign: by KEY=cosign.key, or keyless without it
	$$(hack/tool cosign) sign-blob --yes $(if $(KEY),--key $(KEY) --signing-config hack/release/signing-config.json) \
	  --bundle $(or $(DIST),dist)/checksums.txt.sigstore.json $(or $(DIST),dist)/checksums.txt
