package respell

import (
	"maps"
	"math/rand"
	"slices"

	"sigs.k8s.io/yaml"
)

// fragments are the values of a field that a random spec may have, beside none.
type fragments map[string][]string

var commonFields = fragments{
	"image":    {"registry.example.com/shop:v2.1.0", "registry.example.com/shop:v7"},
	"port":     {"3000", "50051", "8080"},
	"replicas": {"1", "2", "3"},
	"resources": {
		"{}", "{requests: {cpu: 100m, memory: 128Mi}, limits: {cpu: 500m, memory: 512Mi}}", "{limits: {cpu: 1, memory: 1G}}",
		"{requests: {cpu: 0.25, memory: 67108864}}", `{requests: {memory: "1e8"}, limits: {memory: 1Gi}}`,
	},
	"env": {
		"[{name: LEVEL, value: debug}, {name: A, value: '1000m'}]", "[{name: HOST, value: 0.0.0.0}]",
		"[{name: MAP, valueFrom: {configMapKeyRef: {name: s, key: k, optional: true}}}, {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}}, {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]",
	},
	"healthCheck": {"{interval: 60s}", "{interval: 90s, timeout: 2s, failureThreshold: 3}", "{type: tcp, timeout: 60s, interval: 2m}"},
	"autoscaling": {
		"{enabled: true}", "{enabled: true, minReplicas: 2, maxReplicas: 6, targetCPU: 70}", "{enabled: false}",
		"{enabled: true, behavior: {scaleUp: {tolerance: 0.05, stabilizationWindowSeconds: 60}}, metrics: [{type: Pods, name: queue, averageValue: 500m}]}",
	},
	"pod": {
		"{terminationGracePeriodSeconds: 30}", "{labels: {team: data}, annotations: {a: b}, nodeSelector: {kubernetes.io/os: linux}}",
		"{tolerations: [{key: a, value: b}], volumes: [{name: v, emptyDir: {sizeLimit: 64Mi}}], volumeMounts: [{name: v, mountPath: /v}]}",
		"{runAsUser: 1001, affinity: {}, imagePullSecrets: [{name: pull}]}",
		"{volumes: [{name: c, configMap: {name: c, optional: true, items: [{key: a, path: b}]}}, {name: d, downwardAPI: {items: [{path: l, fieldRef: {fieldPath: metadata.labels}}]}}]}",
	},
}

var fieldsOf = map[string]fragments{
	"GatiHandler": {
		"methods": {"[GET]", "[GET, POST]"},
		"version": {"v2", "v1.4.0"},
		"envFrom": {"[{configMapRef: {name: c, optional: true}}]", "[{prefix: A_, secretRef: {name: s, optional: true}}]"},
		"rollout": {
			"{strategy: RollingUpdate, progressDeadline: 120s}", "{strategy: Canary}",
			"{strategy: Canary, steps: [{weight: 10, pause: 60s}, {weight: 50, pause: 1h30m}, {weight: 100}], rollbackWindow: 60s}",
			"{strategy: Canary, analysis: {interval: 60s, metrics: [{successRate: {min: '99'}}, {latency: {quantile: '0.95', max: 300ms}}]}}",
			"{strategy: Canary, analysis: {enabled: false}, autoRollback: false}",
			"{strategy: Canary, checks: [{name: smoke, when: AfterPromotion, timeout: 120s, job: {command: [node, smoke.js], resources: {limits: {memory: 64M}}}}]}",
			"{strategy: Manual, progressDeadline: 1h}",
		},
		"versions": {"{minAge: 60s, drain: {window: 60s, deadline: 120m}, coldAfter: 48h}", "{compatibility: FULL, transitive: true, minActive: 1, historyLimit: 10}", "{protectedTags: []}"},
		"schema":   {"{input: {type: object, properties: {id: {type: string, minLength: 1}}}}"},
		"modules":  {"[db, cache]"},
		"route": {
			"{parentRefs: [{name: " + Gateway + "}], timeouts: {request: 60s, backendRequest: 1500ms}}",
			"{parentRefs: [{name: " + Gateway + "}], hostnames: [a.example.com], filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: A, value: 60s}]}}]}",
		},
	},
	"GatiModule": {
		"runtime":      {"node:20"},
		"config":       {"{poolSize: '20', mode: fast}"},
		"capabilities": {"[network, storage]", `["network:egress", "secrets:read"]`},
		"rollout":      {"{progressDeadline: 600s}", "{autoRollback: true}"},
	},
}

// Gateway is the parent of the specs that have a route.
const Gateway = "gateway"

// requiredFields are fields that a spec of the kind always has.
var requiredFields = map[string]fragments{
	"GatiHandler": {"path": {"/shop"}},
	"GatiModule":  {"type": {"node", "oci"}, "moduleName": {"database"}},
}

// Spec returns a random spec of the kind that the API server accepts.
func (s *Speller) Spec() map[string]any {
	out := map[string]any{}
	s.pickFields(out, requiredFields[s.kind], 1)
	s.pickFields(out, commonFields, 2)
	s.pickFields(out, fieldsOf[s.kind], 2)
	if rollout, _ := out["rollout"].(map[string]any); rollout["strategy"] == "Manual" {
		delete(out, "autoscaling") // Without a gateway, it cannot have both.
	}
	return out
}

// pickFields sets fields, each once in n specs.
func (s *Speller) pickFields(out map[string]any, fields fragments, n int) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !s.often(n) {
			continue
		}
		raw, err := yaml.YAMLToJSON([]byte(pick(s.rand, fields[name])))
		if err != nil {
			panic(err)
		}
		out[name] = decode(raw)
	}
}

func pick(r *rand.Rand, of []string) string { return of[r.Intn(len(of))] }
