package upgrade

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
)

// notDerived are the parts of a revision that no later release can choose
// otherwise, and why.
var notDerived = []struct{ path, why string }{
	{`^template\.metadata\.labels\.(app\.kubernetes\.io/.*|gati\.dev/(handler|module))$`, "whose pods they are: selectors never change"},
	{`^(config\.HANDLER_ID|template\..*\.labelSelector\.matchLabels\..*)$`, "whose pods they are"},
	{`^template\.spec\.containers\.0\.(name|ports\.0\.(name|protocol))$`, "what Services, policies and people name"},
	{`^template\.spec\.containers\.0\.(ports\.0\.containerPort|env\.1\.value)$`, "the port is a static default"},
	{`^template\.spec\.containers\.0\.env\.\d\.(name|valueFrom\.fieldRef\.apiVersion)$`, "what the runtime reads"},
	{`^template\.spec\.containers\.0\.\w+Probe\.(httpGet\.(path|port)|tcpSocket\.port|grpc\.port|timeoutSeconds)$`, "healthCheck has static defaults"},
	{`^template\.spec\.containers\.0\.(liveness|readiness)Probe\.(periodSeconds|failureThreshold)$`, "healthCheck has static defaults"},
	{`^template\.spec\.containers\.0\.\w+Probe\.successThreshold$`, "Kubernetes takes no other number than 1"},
	{`^template\.spec\.volumes\.\d\.configMap\.name$`, "named by the handler"},
	{`^template\.spec\.(serviceAccountName|automountServiceAccountToken)$`, "what a pod reaches is the user's"},
	{`^template\.spec\.securityContext\.(runAsNonRoot|seccompProfile\.type)$`, "the restricted Pod Security Standard has no other value"},
	{`^template\.spec\.containers\.0\.securityContext\.(allowPrivilegeEscalation|capabilities\.drop\.0)$`, "the restricted Pod Security Standard has no other value"},
}

// everyDefaultDiffers compares the revisions that two builds cut for the same
// specs. A part that is the same in both and is not explained above is a default
// that changes does not change.
func everyDefaultDiffers(t *testing.T, one, other map[string]map[string]string) {
	t.Helper()
	equal := map[string]string{}
	for name, leaves := range one {
		for path, value := range leaves {
			if got, ok := other[name][path]; ok && got == value {
				equal[path] = fmt.Sprintf("%s has %s", name, value)
			}
		}
	}
	// What differs for one spec is changed, though another spec may set it.
	for name, leaves := range one {
		for path, value := range leaves {
			if other[name][path] != value {
				delete(equal, path)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(equal)) {
		if !isExplained(path) {
			t.Errorf("%s is the same in both builds (%s): add it to changes, or say in notDerived why it is no default", path, equal[path])
		}
	}
}

func isExplained(path string) bool {
	for _, e := range notDerived {
		if regexp.MustCompile(e.path).MatchString(path) {
			return true
		}
	}
	return false
}

// readLeaves returns the values in the template and ConfigMap of a revision, by their paths.
func readLeaves(t *testing.T, revision string) map[string]string {
	t.Helper()
	var data map[string]any
	if err := json.Unmarshal([]byte(revision), &data); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	collectLeaves("config", data["config"], out)
	collectLeaves("template", data["template"], out)
	if len(out) < 20 {
		t.Fatalf("a revision with %d values proves nothing: %s", len(out), revision)
	}
	return out
}

func collectLeaves(at string, value any, into map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			collectLeaves(at+"."+key, item, into)
		}
		if len(v) > 0 {
			return
		}
	case []any:
		for i, item := range v {
			collectLeaves(fmt.Sprint(at, ".", i), item, into)
		}
		if len(v) > 0 {
			return
		}
	}
	into[at] = fmt.Sprint(value)
}
