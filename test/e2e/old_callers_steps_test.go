package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/load"
)

// What each version of samples/app/src/profiles.js takes and gives.
const (
	v1Answers = `{"type": "object", "required": ["id", "name", "status", "phones"], "properties": {
		"id": {"type": "string"}, "name": {"type": "string"}, "status": {"enum": ["new", "active", "closed"]},
		"phones": {"type": "array", "items": {"type": "object", "required": ["kind", "number"], "additionalProperties": false,
			"properties": {"kind": {"type": "string"}, "number": {"type": "string"}}}},
		"by": {"type": "object"}}, "additionalProperties": false}`
	v2Answers = `{"type": "object", "required": ["id", "fullName", "status", "contacts"], "properties": {
		"id": {"type": "string"}, "fullName": {"type": "string"}, "status": {"enum": ["new", "active", "closed"]},
		"contacts": {"type": "array", "items": {"type": "object", "required": ["type", "label", "value"], "additionalProperties": false,
			"properties": {"type": {"type": "string"}, "label": {"type": "string"}, "value": {"type": "string"}}}},
		"by": {"type": "object"}}, "additionalProperties": false}`
	v3Answers = `{"type": "object", "required": ["id", "names", "state", "contacts"], "properties": {
		"id": {"type": "string"}, "names": {"type": "object"}, "state": {"type": "object"}, "contacts": {"type": "object"},
		"by": {"type": "object"}}, "additionalProperties": false}`

	v1Takes = `{"type": "object", "properties": {"status": {"enum": ["new", "active", "closed"]}}}`
	v2Takes = `{"type": "object", "required": ["locale"], "properties": {"locale": {"type": "string"}, "status": {"enum": ["new", "active"]}}}`
	v3Takes = `{"type": "object", "required": ["locale"], "properties": {"locale": {"type": "string"}, "status": false, "state": {"type": "object"}}}`
)

var profileSchemas = map[string][2]string{"v1.0.0": {v1Takes, v1Answers}, "v2.0.0": {v2Takes, v2Answers}, "v3.0.0": {v3Takes, v3Answers}}

// profilesOf is the spec of a version of the sample's second handler.
func profilesOf(version string) change {
	return func(s *v1.GatiHandlerSpec) {
		setImage(version)(s)
		s.Path = profilesPath
		noEnv(s)
		addEnv("SAMPLE_ROUTES", "GET "+profilesPath+", POST "+profilesPath)(s)
		schemas := profileSchemas[version]
		s.Schema = &v1.VersionSchema{Input: &apiextensionsv1.JSON{Raw: []byte(schemas[0])}, Output: &apiextensionsv1.JSON{Raw: []byte(schemas[1])}}
	}
}

const profilesPath = "/profiles/:id"

// aProfilesHandler is v1.0.0 of that handler. It serves when the sentence ends.
func (g given) aProfilesHandler(changes ...change) {
	g.t.Helper()
	g.resource = "/profiles/"
	g.aHandler(append([]change{profilesOf("v1.0.0")}, changes...)...)
}

// inCluster takes the route away: the Service alone leads to the handler.
func inCluster(s *v1.GatiHandlerSpec) { s.Route = nil }

// inNoHurry has versions stay for the whole scenario, and the contract free to move.
func inNoHurry(s *v1.GatiHandlerSpec) {
	s.Rollout.RollbackWindow = "1s"
	s.Versions = &v1.VersionPolicy{Drain: &v1.Drain{Window: "1h", Deadline: "1h"}}
}

func (w when) profilesBecome(version string, changes ...change) {
	w.t.Helper()
	w.applyChanges(append([]change{profilesOf(version)}, changes...)...)
}

// callersOfV1 know v1 alone: half name it, half say nothing. Each answer has to be one of v1.
func (g given) callersOfV1(rate int) {
	g.t.Helper()
	g.callersOf(rate, v1Answers)
}

// callersOf wants each answer to have one of these shapes. Where there are several, the
// contract moves: requests name no version, and have no body in the shape of one.
func (g given) callersOf(rate int, shapes ...string) {
	g.t.Helper()
	g.startCallers(rate, checkShapes(g.world, shapes...), len(shapes) == 1)
}

// callersThatMayFail are callers of v1 whose answers are not checked.
func (g given) callersThatMayFail(rate int) {
	g.t.Helper()
	g.startCallers(rate, nil, true)
}

func (g given) startCallers(rate int, check func([]byte) error, ofV1 bool) {
	g.t.Helper()
	if g.traffic != nil {
		g.traffic.stopOnce()
	}
	config := load.Config{Rate: rate, Count: most, Timeout: 10 * time.Second, Seed: seedOf(g.t), Check: check, ReadOnly: !ofV1}
	config.Targets = g.loadTargets(g.resource + "%d")
	who := "callers that name no version"
	if ofV1 {
		who = "callers that know v1.0.0 alone"
		for _, to := range config.Targets {
			to.Header = map[string]string{"X-Gati-Version": "v1.0.0"}
			config.Targets = append(config.Targets, to)
		}
		config.Body = func(number uint64) []byte {
			return fmt.Appendf(nil, `{"status": %q}`, []string{"new", "active", "closed"}[number/8%3])
		}
	}
	g.traffic = startTraffic(g.t, config)
	g.logStep("given %d requests a second of %s, seed %d", rate, who, seedOf(g.t))
}

// checkShapes returns a check that a body has exactly one of these shapes.
func checkShapes(w *world, shapes ...string) func([]byte) error {
	w.t.Helper()
	var all []*jsonschema.Schema
	for i, text := range shapes {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			w.t.Fatal(err)
		}
		c, url := jsonschema.NewCompiler(), fmt.Sprintf("mem:///%d.json", i)
		if err := c.AddResource(url, doc); err != nil {
			w.t.Fatal(err)
		}
		schema, err := c.Compile(url)
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, schema)
	}
	return func(body []byte) error {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		if err != nil {
			return err
		}
		var faults []error
		for _, schema := range all {
			if err := schema.Validate(doc); err != nil {
				faults = append(faults, err)
			}
		}
		if len(faults) == len(all)-1 {
			return nil
		}
		return fmt.Errorf("%s: %w", body, errors.Join(faults...))
	}
}

// pairIsRecorded writes the record of the newer version with its functions.
func (w when) pairIsRecorded(old, young v1.VersionID, request, response string) {
	w.t.Helper()
	record := builders.MakeVersion("users-" + string(young)).Namespace(w.ns).Handler("users").Version(string(young)).Spec(func(s *v1.GatiVersionSpec) {
		s.Transformers = []v1.Transformer{{From: old, To: young, Request: request, Response: response}}
	}).Obj()
	if err := admin.Apply(w.t.Context(), toApplyConfiguration(w.t, record), client.FieldOwner("kubectl")); err != nil {
		w.t.Fatal(err)
	}
	w.logStep("when transformers from %s to %s are recorded", old, young)
}

// runVersionCommand runs a command of kubectl gati version about the handler.
func (w *world) runVersionCommand(command string, args ...string) (string, error) {
	cmd := exec.CommandContext(w.t.Context(), tools.Plugin, append([]string{"version", command, "users", "-n", w.ns, "--yes"}, args...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+cluster.Kubeconfig)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// versionIs runs a command that has to work. It is tried for as long as a rollback window or
// the controller's next look may refuse it.
func (w when) versionIs(command string, args ...string) {
	w.t.Helper()
	w.eventually("kubectl gati version "+command, func() error {
		out, err := w.runVersionCommand(command, args...)
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		return nil
	})
	w.logStep("when kubectl gati version %s %s", command, strings.Join(args, " "))
}

// versionIsRefused wants a command to be refused, and the reason.
func (n then) versionIsRefused(why, command string, args ...string) {
	n.t.Helper()
	out, err := n.runVersionCommand(command, args...)
	if err == nil || !strings.Contains(out, why) {
		n.t.Errorf("kubectl gati version %s %v: %v, want %q in\n%s", command, args, err, why, out)
	}
	n.logStep("then kubectl gati version %s %s is refused: %s", command, strings.Join(args, " "), why)
}

// theContractIs waits for a contract, which every pod then reports.
func (n then) theContractIs(version string) {
	n.t.Helper()
	n.eventually("contract "+version, func() error {
		h, err := n.readHandler()
		if err != nil {
			return err
		}
		if c := h.Status.Rollout.Contract; c == nil || c.Version != version {
			return fmt.Errorf("it is %+v", c)
		}
		return nil
	})
	n.logStep("then the contract is %s", version)
}

// answersInARow is how many answers of one shape tell that every pod has read the contract.
const answersInARow = 60

// callersWithoutAVersionSpeak waits until each of many answers has one shape.
func (n then) callersWithoutAVersionSpeak(shape string) {
	n.t.Helper()
	check := checkShapes(n.world, shape)
	n.eventually("answers of one shape", func() error {
		run, err := load.Start(load.Config{
			Targets: n.loadTargets(n.resource + "%d")[:1], Rate: 30, Count: answersInARow, Seed: seedOf(n.t), Check: check,
			Body: func(uint64) []byte { return []byte(`{"status": "new", "locale": "en"}`) },
		})
		if err != nil {
			return err
		}
		if r := run.Wait(); r.Failed() > 0 {
			return fmt.Errorf("of %v", r)
		}
		return nil
	})
	n.logStep("then %d answers in a row have one shape", answersInARow)
}

// eachPinIsServed waits until a request for each version is answered in that version's shape.
func (n then) eachPinIsServed(versions ...string) {
	n.t.Helper()
	for _, version := range versions {
		check := checkShapes(n.world, profileSchemas[version][1])
		n.eventually("pin of "+version, func() error {
			status, body, err := n.askProfile(version)
			if err != nil || status != http.StatusOK {
				return errors.Join(err, fmt.Errorf("status %d: %s", status, body))
			}
			return check(body)
		})
	}
	n.logStep("then requests for each of %v are answered in its shape", versions)
}

// pinIsAnswered waits for a status of requests for a version. Those that live answer in
// their own shape; of one that is gone the body names the live ones.
func (n then) pinIsAnswered(version string, want int) {
	n.t.Helper()
	check := func([]byte) error { return nil }
	if want == http.StatusOK {
		check = checkShapes(n.world, profileSchemas[version][1])
	} else {
		check = func(body []byte) error {
			var says struct{ Live []string }
			if err := json.Unmarshal(body, &says); err != nil || len(says.Live) == 0 || slices.Contains(says.Live, version) {
				return fmt.Errorf("%s names no live versions (%w)", body, err)
			}
			return nil
		}
	}
	n.eventually(fmt.Sprintf("answer of %d to requests for %s", want, version), func() error {
		status, body, err := n.askProfile(version)
		if err != nil || status != want {
			return errors.Join(err, fmt.Errorf("status %d: %s", status, body))
		}
		return check(body)
	})
	n.logStep("then requests for %s are answered with %d", version, want)
}

// askProfile asks for a version by the gateway.
func (w *world) askProfile(version string) (status int, body []byte, err error) {
	to := w.loadTargets(w.resource + "7")[0]
	answer, err := sendGet(w.t.Context(), to.URL, to.Host, version)
	return answer.status, answer.body, err
}

// itWaitsFor waits until the rollout waits for a reason, with a message that has these parts
// in this order.
func (n then) itWaitsFor(reason v1.WaitingReason, parts ...string) {
	n.t.Helper()
	var message string
	n.eventually("rollout that waits for "+string(reason), func() error {
		h, err := n.readHandler()
		if err != nil {
			return err
		}
		waits := h.Status.Rollout.WaitingFor
		if waits == nil || waits.Reason != reason {
			return fmt.Errorf("it waits for %+v", waits)
		}
		message = waits.Message
		return checkContains(message, parts...)
	})
	n.logStep("then it waits for %s: %s", reason, message)
}

// pinsAreMeasuredBy waits until the status says what measures versions.
func (n then) pinsAreMeasuredBy(source string, versions ...string) {
	n.t.Helper()
	n.eventually("versions that "+source+" measure", func() error {
		h, err := n.readHandler()
		if err != nil {
			return err
		}
		for _, version := range versions {
			if got := versionIn(h, version).TrafficSource; got != source {
				return fmt.Errorf("%s is measured by %q", version, got)
			}
		}
		return nil
	})
	n.logStep("then %s measure %v", source, versions)
}
