package certificates_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
)

const (
	// maxRequest is what the API server takes of a request.
	maxRequest = 3 << 20
	// maxCPU is what a role may take of the CPU for one request: ten times the 2 s that are promised,
	// for a slow machine and the race detector. What grows with the square takes minutes.
	maxCPU = 20 * time.Second
	// maxRefusal is what an answer may have in bytes: at most 20 errors, each a few lines.
	maxRefusal = 16 << 10
)

var (
	namesField = regexp.MustCompile(`\b(spec|status|metadata)\b`)
	// echoes are the requests whose answer may be the API server's own, which repeats the value.
	echoes = regexp.MustCompile(`^(create|update|status|scale) `)
	// namesWhole is what bounds of the sum of all fields say.
	namesWhole = regexp.MustCompile(`\b(spec|metadata): (Too long|Too many)|[Rr]equest entity too large|Request body is too large`)
	// unclear are answers without a field or a remedy: the request was cut off.
	unclear = regexp.MustCompile(`failed calling webhook|unknown reason|deadline exceeded|connection refused|EOF|etcdserver|cost limit|Internal error`)
)

// TestSizesOfHandlers fills each list, map and text of a v1 GatiHandler to 1, 10 and 100 % of a
// request's limit, one at a time and in every kind of request. Roles and commands stay within
// their bounds of memory and CPU, and a refusal names a field.
func TestSizesOfHandlers(t *testing.T) {
	trySizes(t, soak.Share(t, "sizesOfHandlers", 151), func(e element) bool { return e.version == "v1" && e.kind == "GatiHandler" && !e.isOfPod() })
}

// TestSizesOfPods does so with spec.pod of a GatiHandler of v1.
func TestSizesOfPods(t *testing.T) {
	trySizes(t, soak.Share(t, "sizesOfPods", 151), func(e element) bool { return e.version == "v1" && e.kind == "GatiHandler" && e.isOfPod() })
}

// TestSizesOfModulesAndVersions does so with GatiModules and GatiVersions of v1.
func TestSizesOfModulesAndVersions(t *testing.T) {
	trySizes(t, soak.Share(t, "sizesOfModulesAndVersions", 151), func(e element) bool { return e.version == "v1" && e.kind != "GatiHandler" })
}

// TestSizesOfAlphaElements does so with all kinds of v1alpha1.
func TestSizesOfAlphaElements(t *testing.T) {
	trySizes(t, soak.Share(t, "sizesOfAlphaElements", 151), func(e element) bool { return e.version == "v1alpha1" })
}

func trySizes(t *testing.T, chosen func() bool, belongs func(element) bool) {
	t.Helper()
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	controllers := startRole(t, c, freePort(t), "controllers", "gati-controller")
	admission := startRole(t, c, port, "admission", "gati-webhook")
	for role, p := range map[string]*process{"controllers": controllers, "admission": admission} {
		p.awaitReady(t, role)
	}
	a := newSizes(t, c, map[string]*process{"admission": admission, "controllers": controllers})
	a.storeBases()
	for _, e := range readElements(t) {
		for _, percent := range []int{1, 10, 100} {
			if belongs(e) && chosen() {
				a.tryAll(e, percent)
			}
		}
	}
	if a.requests == 0 {
		t.Error("no element was tried")
	}
	t.Logf("%d requests: at most %d MiB (%s) and %s of the CPU (%s); answers %v", a.requests, a.most>>20, a.mostIn, a.longest, a.longestIn, a.answers)
}

// sizes sends what is large, and measures both roles.
type sizes struct {
	t              *testing.T
	roles          map[string]*process
	server, direct *http.Client
	host, plugin   string

	requests int
	most     int64
	longest  time.Duration
	answers  map[string]int
	// mostIn and longestIn name the requests that took most.
	mostIn, longestIn string
}

func newSizes(t *testing.T, c *cluster, roles map[string]*process) *sizes {
	t.Helper()
	server, err := rest.HTTPClientFor(c.config)
	if err != nil {
		t.Fatal(err)
	}
	direct := newOverload(t, roles["admission"]).client
	direct.Timeout = time.Minute
	return &sizes{t: t, roles: roles, server: server, direct: direct, host: strings.TrimSuffix(c.config.Host, "/"), plugin: filepath.Join(filepath.Dir(c.binary), "kubectl-gati"), answers: map[string]int{}}
}

// storeBases stores the smallest object of each kind.
func (a *sizes) storeBases() {
	a.t.Helper()
	for _, e := range []element{{kind: "GatiHandler", plural: "gatihandlers"}, {kind: "GatiModule", plural: "gatimodules"}, {kind: "GatiVersion", plural: "gativersions"}} {
		e.version, e.path, e.wrap = "v1", "spec", func(string) string { return e.baseSpec() }
		path := "/apis/gati.dev/v1/namespaces/default/" + e.plural
		await.Eventually(a.t, e.kind+" that is stored", func() error {
			code, text, err := send(a.server, http.MethodPost, a.host+path, "application/json", e.object(""))
			if err == nil && code != http.StatusCreated {
				err = fmt.Errorf("%d %s", code, text)
			}
			return err
		})
		a.t.Cleanup(func() { _, _, _ = send(a.server, http.MethodDelete, a.host+path+"/a", "application/json", "") })
	}
}

// tryAll sends an element in every kind of request that has it.
func (a *sizes) tryAll(e element, percent int) {
	const envelope = 2 << 10
	value := e.fill((maxRequest - envelope) * percent / 100)
	object, part := e.object(value), strings.SplitN(e.path, ".", 2)[0]
	patch := fmt.Sprintf(`{%q:%s}`, part, e.wrap(value))
	base := a.host + "/apis/gati.dev/" + e.version + "/namespaces/default/" + e.plural
	ask := func(name, method, url, kind, body string) {
		a.try(e, percent, name, func() (string, error) {
			code, text, err := send(a.server, method, url+"?dryRun=All", kind, body)
			return describeStatus(code, text), err
		})
	}
	// Three things take the API server itself minutes, and reach no role: it sorts the fields of a
	// map by insertion, compares each item of a set with all others, and each error with all others
	// where it checks a status, which no hook has bounded.
	isWhole := (e.isMap() || e.isSet()) && percent == 100
	if part == "status" && e.isText() {
		ask("status", http.MethodPatch, base+"/a/status", "application/merge-patch+json", patch)
	}
	if !isWhole {
		ask("create", http.MethodPost, base, "application/json", strings.Replace(object, `"name":"a"`, `"name":"new"`, 1))
		ask("update", http.MethodPatch, base+"/a", "application/merge-patch+json", patch)
		// The API server reads spec.replicas of a Scale and asks no role about the rest.
		if e.kind != "GatiVersion" && e.isOfSpec() {
			ask("scale", http.MethodPatch, base+"/a/scale", "application/merge-patch+json", patch)
		}
	}
	for _, hook := range []string{"mutate", "validate", "convert"} {
		a.try(e, percent, hook, func() (string, error) {
			code, text, err := send(a.direct, http.MethodPost, "https://"+a.roles["admission"].webhook+"/"+hook+"?timeout=10s", "application/json", e.review(hook, object))
			return describeReview(code, text), err
		})
	}
	for _, command := range []string{"lint", "expand"} {
		if part == "spec" { // no file of a user has a status
			a.tryCommand(e, percent, command, object)
		}
	}
}

// review returns what the API server would send a hook.
func (e element) review(hook, object string) string {
	if hook == "convert" {
		other := map[string]string{"v1": "v1alpha1", "v1alpha1": "v1"}[e.version]
		return fmt.Sprintf(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"gati.dev/%s","objects":[%s]}}`, other, object)
	}
	return fmt.Sprintf(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","kind":{"group":"gati.dev","version":"v1","kind":%q},"resource":{"group":"gati.dev","version":"v1","resource":%q},"operation":"CREATE","name":"a","namespace":"default","userInfo":{},"object":%s}}`, e.kind, e.plural, object)
}

// try makes a request, and checks its answer and what both roles took.
func (a *sizes) try(e element, percent int, name string, request func() (refusal string, err error)) {
	a.t.Helper()
	what := fmt.Sprintf("%s of %s %s: %d %% in %s", name, e.kind, e.version, percent, e.path)
	before := map[string]time.Duration{}
	for role, p := range a.roles {
		before[role] = readCPU(a.t, p)
		resetHighWater(a.t, p.command.Process.Pid)
	}
	refusal, err := request()
	// The API server calls each failure of a conversion an internal error.
	if _, message, found := strings.Cut(refusal, "conversion webhook for "); found {
		refusal = message
	}
	if field := e.field(); refusal != "" && !namesWhole.MatchString(refusal) && !strings.Contains(refusal, field) {
		a.t.Errorf("%s: %s is not in %.300s", what, field, refusal)
	}
	for role, p := range a.roles {
		a.note(what+", "+role, maxResident, readHighWater(a.t, p), readCPU(a.t, p)-before[role])
	}
	a.check(what, refusal, err)
}

func (a *sizes) note(what string, limit, memory int64, cpu time.Duration) {
	a.t.Helper()
	if cpu > a.longest {
		a.longest, a.longestIn = cpu, what
	}
	if memory > a.most {
		a.most, a.mostIn = memory, what
	}
	if memory > limit || cpu > maxCPU {
		a.t.Errorf("%s: %d MiB and %s of the CPU, want at most %d MiB and %s", what, memory>>20, cpu, limit>>20, maxCPU)
	}
}

func (a *sizes) check(what, refusal string, err error) {
	a.t.Helper()
	a.requests++
	switch {
	case err != nil:
		a.t.Errorf("%s: %v", what, err)
	case refusal == "":
		a.answers["passed"]++
	case len(refusal) > maxRefusal && !echoes.MatchString(what):
		a.t.Errorf("%s: a refusal of %d bytes, want at most %d: %.300s", what, len(refusal), maxRefusal, refusal)
	case unclear.MatchString(refusal) || !namesField.MatchString(refusal):
		a.t.Errorf("%s: no field in %.300s", what, refusal)
	default:
		a.answers["refused"]++
	}
}

// tryCommand runs a command of the plugin on the object.
func (a *sizes) tryCommand(e element, percent int, command, object string) {
	a.t.Helper()
	path := filepath.Join(a.t.TempDir(), "object.json")
	if err := os.WriteFile(path, []byte(object), 0o600); err != nil {
		a.t.Fatal(err)
	}
	c := exec.Command(a.plugin, command, "-f", path, "-n", "default")
	c.Env = append(environment(), "KUBECONFIG="+os.DevNull)
	// A new program's high-water mark begins with that of the process that starts it.
	debug.FreeOSMemory()
	resetHighWater(a.t, os.Getpid())
	out, err := c.CombinedOutput()
	what := fmt.Sprintf("%s of %s %s: %d %% in %s", command, e.kind, e.version, percent, e.path)
	if used, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		a.note(what, memoryLimit, used.Maxrss<<10, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
	refusal := ""
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		refusal, err = string(out), nil
	}
	a.check(what, refusal, err)
}

func send(c *http.Client, method, url, kind, body string) (int, []byte, error) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", kind)
	answer, err := c.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// describeStatus returns the message of a refusal, empty where the API server took the object.
func describeStatus(code int, text []byte) string {
	if code < http.StatusMultipleChoices {
		return ""
	}
	var status struct{ Message string }
	if json.Unmarshal(text, &status) != nil || status.Message == "" {
		return fmt.Sprintf("%d %.300s", code, text)
	}
	return status.Message
}

// describeReview returns the message of a refusal, empty where a hook took the object.
func describeReview(code int, text []byte) string {
	var review struct {
		Response *struct {
			Allowed bool
			Result  struct{ Status, Message string }
		}
	}
	if code != http.StatusOK || json.Unmarshal(text, &review) != nil || review.Response == nil {
		return fmt.Sprintf("%d %.300s", code, text)
	}
	if review.Response.Allowed || review.Response.Result.Status == "Success" {
		return ""
	}
	return review.Response.Result.Message
}

// readHighWater returns the most memory that was resident since the last reset.
func readHighWater(t *testing.T, p *process) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		if fields := strings.Fields(string(line)); len(fields) == 3 && fields[0] == "VmHWM:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("there is no VmHWM")
	return 0
}

func resetHighWater(t *testing.T, pid int) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
}

// readCPU returns the time of the CPU that a process has taken.
func readCPU(t *testing.T, p *process) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	const tick = 10 * time.Millisecond
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, errUser := strconv.Atoi(fields[11])
	system, errSystem := strconv.Atoi(fields[12])
	if err := errors.Join(errUser, errSystem); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * tick
}
