package adopt

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
)

// readSource returns the objects of a file, the first of which is the workload.
func readSource(t *testing.T, file string) Source {
	t.Helper()
	text, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = text.Close() }()
	docs, err := admit.Split(text, file)
	if err != nil {
		t.Fatal(err)
	}
	var all []unstructured.Unstructured
	for _, d := range docs {
		var u unstructured.Unstructured
		if err := u.UnmarshalJSON(d.Content); err != nil {
			t.Fatal(err)
		}
		all = append(all, u)
	}
	return Source{Workload: all[0], Others: all[1:]}
}

func eachSource(t *testing.T, folder string, want int, test func(t *testing.T, s Source)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
	if err != nil || len(files) < want {
		t.Fatalf("%d files, error %v; want %d", len(files), err, want)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) { test(t, readSource(t, file)) })
	}
}

// The pods of the handler equal those of the Deployment in each field, but for the fields that
// are reported.
func TestPodsEqualButForTheReport(t *testing.T) {
	eachSource(t, "deployments", 12, func(t *testing.T, s Source) {
		a, err := Translate(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := facts.Facts{Namespace: "shop", HTTPRouteServed: true}
		result := admit.Check(a.Handler, nil, admit.Surroundings{Facts: f})
		if len(result.Errors) > 0 {
			t.Fatalf("the handler would be refused: %v", result.Errors.ToAggregate())
		}
		main, _, _ := unstructured.NestedSlice(s.Workload.Object, "spec", "template", "spec", "containers")
		comparePods(t, a.Items, templateOf(t, result.Expand(a.Handler)), s.Workload.Object["spec"].(map[string]any)["template"], mainName(main, *a.Handler.Spec.Port))
	})
}

// mainName returns the name of the container with a port.
func mainName(containers []any, port int32) string {
	for _, c := range containers {
		if strings.Contains(fmt.Sprint(c), fmt.Sprintf("containerPort:%d", port)) {
			return c.(map[string]any)["name"].(string)
		}
	}
	return containers[0].(map[string]any)["name"].(string)
}

func templateOf(t *testing.T, plan []client.Object) any {
	t.Helper()
	for _, o := range plan {
		if d, isDeployment := o.(*appsv1.Deployment); isDeployment {
			// The handler's own ConfigMap comes first and is reported with env.
			main := &d.Spec.Template.Spec.Containers[0]
			main.EnvFrom = main.EnvFrom[1:]
			return encode(d.Spec.Template)
		}
	}
	t.Fatal("the plan has no Deployment")
	return nil
}

// kubernetesDefaults are what the API server sets where a field is not set, as far as the files
// spell it out.
var kubernetesDefaults = map[string]any{
	"restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler", "terminationMessagePath": "/dev/termination-log",
	"terminationMessagePolicy": "File", "enableServiceLinks": true, "protocol": "TCP", "scheme": "HTTP", "successThreshold": 1.0,
	"periodSeconds": 10.0, "timeoutSeconds": 1.0, "failureThreshold": 3.0, "apiVersion": "v1", "automountServiceAccountToken": true,
	"terminationGracePeriodSeconds": 30.0,
}

// flatten lists the leaves of a template by their paths.
func flatten(path string, value any, into map[string]any) {
	if isEmpty(value) {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			if !reflect.DeepEqual(kubernetesDefaults[name], v) {
				flatten(joinPath(path, name), v, into)
			}
		}
	case []any:
		for i, v := range value {
			flatten(itemPath(path, i, v), v, into)
		}
	default:
		into[path] = value
	}
}

func comparePods(t *testing.T, items []Item, ours, theirs any, main string) {
	t.Helper()
	have, want := map[string]any{}, map[string]any{}
	flatten("spec.template", ours, have)
	flatten("spec.template", resolvePorts(t, theirs), want)
	rename := strings.NewReplacer("containers["+main+"]", "containers[handler]")
	covers := func(path string, isAddition bool) bool {
		return slices.ContainsFunc(items, func(i Item) bool {
			field := rename.Replace(i.Field)
			return strings.HasPrefix(path, field) && (isAddition || !i.IsAdded())
		})
	}
	for path, value := range want {
		path = rename.Replace(path)
		got, found := have[path]
		isOwnName := path == "spec.template.spec.containers[handler].name"
		if (!found || !reflect.DeepEqual(got, value)) && !covers(path, false) && !isOwnName {
			t.Errorf("%s is %v, and nothing reports that it was %v", path, got, value)
		}
		delete(have, path)
	}
	for path, value := range have {
		if strings.HasPrefix(path, "spec.template.spec.volumes[gati-") {
			continue // its mount is reported
		}
		if !covers(path, true) {
			t.Errorf("%s is %v, was not set, and nothing reports it", path, value)
		}
	}
}

// resolvePorts returns a template whose probes have numbers of ports for names.
func resolvePorts(t *testing.T, template any) any {
	t.Helper()
	text, err := json.Marshal(template)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	delete(out["spec"].(map[string]any), "serviceAccount") // another name of serviceAccountName
	for _, c := range out["spec"].(map[string]any)["containers"].([]any) {
		numbers := map[any]any{}
		ports, _ := c.(map[string]any)["ports"].([]any)
		for _, p := range ports {
			numbers[p.(map[string]any)["name"]] = p.(map[string]any)["containerPort"]
		}
		for _, probe := range []string{"startupProbe", "readinessProbe", "livenessProbe"} {
			asked, _ := c.(map[string]any)[probe].(map[string]any)
			for _, how := range asked {
				if how, isObject := how.(map[string]any); isObject && numbers[how["port"]] != nil {
					how["port"] = numbers[how["port"]]
				}
			}
		}
	}
	return out
}

// A field that no translation knows is in the handler or in the report, wherever it is.
func TestNoFieldIsDroppedSilently(t *testing.T) {
	const marker = "unknownField"
	eachSource(t, "deployments", 12, func(t *testing.T, s Source) {
		places := 0
		for i := range 1 + len(s.Others) {
			for n := 0; ; n++ {
				changed := s.copy()
				at := &changed.Workload
				if i > 0 {
					at = &changed.Others[i-1]
				}
				path, found := insertField(at.Object, marker, &n)
				if !found {
					break
				}
				if at.GetKind() == "Service" || isExempt(path) {
					continue
				}
				places++
				a, err := Translate(changed, Options{})
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				handler, err := json.Marshal(a.Handler)
				if err != nil {
					t.Fatal(err)
				}
				isReported := slices.ContainsFunc(a.Items, func(i Item) bool {
					return strings.Contains(i.Field, marker) || strings.Contains(i.Theirs, marker) || strings.HasSuffix(i.Theirs, "…")
				})
				if !isReported && !strings.Contains(string(handler), marker) {
					t.Errorf("%s/%s: %s.%s is dropped silently", at.GetKind(), at.GetName(), path, marker)
				}
			}
		}
		if places < 10 {
			t.Errorf("%d places for an unknown field, want more", places)
		}
	})
}

// isExempt reports whether a place is a selector, which decides what belongs to what, or is
// the server's.
func isExempt(path string) bool {
	return strings.Contains(path, "matchLabels") || strings.HasPrefix(path, ".status") || strings.HasPrefix(path, ".metadata.managedFields")
}

func (s Source) copy() Source {
	out := Source{Workload: *s.Workload.DeepCopy()}
	for _, o := range s.Others {
		out.Others = append(out.Others, *o.DeepCopy())
	}
	return out
}

// insertField adds a field to the n-th object of a content, in the order of paths.
func insertField(content map[string]any, name string, n *int) (string, bool) {
	left := *n
	var visit func(path string, value any) (string, bool)
	visit = func(path string, value any) (string, bool) {
		switch value := value.(type) {
		case map[string]any:
			if left == 0 {
				value[name] = name
				return path, true
			}
			left--
			keys := make([]string, 0, len(value))
			for key := range value {
				keys = append(keys, key)
			}
			slices.Sort(keys)
			for _, key := range keys {
				if at, found := visit(path+"."+key, value[key]); found {
					return at, true
				}
			}
		case []any:
			for i, item := range value {
				if at, found := visit(fmt.Sprintf("%s[%d]", path, i), item); found {
					return at, true
				}
			}
		}
		return "", false
	}
	return visit("", content)
}
