package plugin

// change is one kind of change to an object, in steps.
type change struct {
	name string
	kind kind
	// start is the spec before it, in each version that can say it.
	start said
	// first is the outcome of the start.
	first outcome
	steps []step
	// unsaid tells why a version is missing from start.
	unsaid string
}

// said is a text by version of the API. The one of v1 is what everything is
// compared with; the other must mean the same.
type said struct{ v1, v1alpha1 string }

func (s said) inVersion(version string) string {
	if version == "v1" {
		return s.v1
	}
	return s.v1alpha1
}

// step changes the spec, by a merge patch.
type step struct {
	name  string
	patch said
	want  outcome
	// replicas is the number that the step asks for where it does no more than
	// that, as kubectl scale does.
	replicas int
}

// plan says how the stamp is after a step.
type plan string

const (
	// same: no input of the revision has changed, or it is said in other words.
	same plan = "the stamp stays"
	// fresh: there was no such stamp before.
	fresh plan = "the stamp is another one"
	// asAtFirst: the inputs are those of the start again.
	asAtFirst plan = "the stamp is that of the start again"
)

// outcome is the expected plan, revision and children.
type outcome struct {
	plan plan
	// revisions and templates count the ControllerRevisions, and the pod templates
	// that were ever run: two revisions may hold the same.
	revisions, templates int
	// version and image are what runs; modules have no version.
	version, image string
	port           int32
	// kept is a port of before, which the Service still serves, 0 for none.
	kept int32
	// env is the user's, in its order.
	env string
	// cpu is that of the container's request.
	cpu string
	// replicas is the number of the Deployment; least and most are the bounds of
	// its autoscaler, 0 where it has none.
	replicas, least, most int32
	// created is the number of a new object's Deployment, where that
	// is not replicas.
	created int32
}

// with is an outcome with some of it changed.
func (o outcome) with(edit func(*outcome)) outcome {
	edit(&o)
	return o
}

var (
	handler = said{
		v1: `{"path": "/users", "image": "app:v1.0.0", "replicas": 1, "port": 8080,
			"resources": {"requests": {"cpu": "50m"}},
			"env": [{"name": "LEVEL", "value": "info"}, {"name": "REGION", "value": "eu"}]}`,
		v1alpha1: `{"handlerPath": "/users", "image": "app:v1.0.0", "replicas": 1, "port": 8080,
			"resources": {"requests": {"cpu": "50m"}},
			"env": {"LEVEL": "info", "REGION": "eu"}}`,
	}
	served = outcome{
		revisions: 1, templates: 1, version: "v1.0.0", image: "app:v1.0.0", port: 8080,
		env: "LEVEL=info REGION=eu", cpu: "50m", replicas: 1,
	}
)

// sameInBoth is the part that the two versions share.
func sameInBoth(text string) said { return said{text, text} }

// rolledFrom is an outcome after which a further revision runs, with a template of
// its own.
func rolledFrom(from outcome, edit func(*outcome)) outcome {
	from.plan, from.revisions, from.templates = fresh, from.revisions+1, from.templates+1
	return from.with(edit)
}

var imageSecond = sameInBoth(`{"image": "app:v2.0.0"}`)

func handlerChanges() []change {
	unchanged := served.with(func(o *outcome) { o.plan = same })
	asFive := rolledFrom(served, func(o *outcome) { o.version = "v5.0.0" })
	notFive := asFive.with(func(o *outcome) { o.plan, o.version = asAtFirst, "v1.0.0" })
	second := func(o *outcome) { o.version, o.image = "v2.0.0", "app:v2.0.0" }
	noPort := rolledFrom(served, func(o *outcome) { o.port, o.kept = 3000, 8080 })
	unset := said{
		v1:       `{"path": "/users", "image": "app:v1.0.0", "replicas": 1, "env": [{"name": "LEVEL", "value": "info"}]}`,
		v1alpha1: `{"handlerPath": "/users", "image": "app:v1.0.0", "replicas": 1, "env": {"LEVEL": "info"}}`,
	}
	derived := served.with(func(o *outcome) { o.port, o.cpu, o.env = 3000, "100m", "LEVEL=info" })
	return []change{
		{name: "image changed", kind: handlers, start: handler, first: served, steps: []step{
			{name: "the version goes with its tag", patch: imageSecond, want: rolledFrom(served, second)},
		}},
		// A version that the user sets and that was derived before is the same in other
		// words.
		{name: "version set equal to the derived one and removed", kind: handlers, start: handler, first: served, steps: []step{
			{name: "set", patch: sameInBoth(`{"version": "v1.0.0"}`), want: unchanged},
			{name: "removed", patch: sameInBoth(`{"version": null}`), want: unchanged},
			{name: "another image", patch: imageSecond, want: rolledFrom(unchanged, second)},
		}},
		{name: "version set to another one and removed", kind: handlers, start: handler, first: served, steps: []step{
			{name: "set", patch: sameInBoth(`{"version": "v5.0.0"}`), want: asFive},
			{name: "another image and the version of the user", patch: imageSecond, want: rolledFrom(asFive, func(o *outcome) { o.image = "app:v2.0.0" })},
			{name: "removed, with the image of before", patch: sameInBoth(`{"version": null, "image": "app:v1.0.0"}`),
				want: notFive.with(func(o *outcome) { o.revisions, o.templates = 3, 3 })},
		}},
		{name: "replicas changed without an autoscaler", kind: handlers, start: handler, first: served, steps: []step{
			{name: "no input", patch: sameInBoth(`{"replicas": 3}`), replicas: 3, want: served.with(func(o *outcome) { o.plan, o.replicas = same, 3 })},
		}},
		{name: "field removed", kind: handlers, start: handler, first: served, steps: []step{
			{name: "that has a static default", patch: sameInBoth(`{"port": null}`), want: noPort},
			{name: "that has a derived default", patch: sameInBoth(`{"resources": null}`), want: rolledFrom(noPort, func(o *outcome) { o.cpu = "100m" })},
		}},
		// A default that is spelled out is the same in other words.
		{name: "field set to its default", kind: handlers, start: unset, first: derived, steps: []step{
			{name: "static", patch: sameInBoth(`{"port": 3000}`), want: derived.with(func(o *outcome) { o.plan = same })},
			{name: "derived", patch: sameInBoth(`{"resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"cpu": "500m", "memory": "512Mi"}}}`),
				want: derived.with(func(o *outcome) { o.plan = same })},
		}},
		{name: "list element changed", kind: handlers, start: handler, first: served, steps: []step{
			{name: "changed", patch: said{
				v1:       `{"env": [{"name": "LEVEL", "value": "debug"}, {"name": "REGION", "value": "eu"}]}`,
				v1alpha1: `{"env": {"LEVEL": "debug"}}`,
			}, want: rolledFrom(served, func(o *outcome) { o.env = "LEVEL=debug REGION=eu" })},
			{name: "removed", patch: said{
				v1:       `{"env": [{"name": "REGION", "value": "eu"}]}`,
				v1alpha1: `{"env": {"LEVEL": null}}`,
			}, want: rolledFrom(rolledFrom(served, func(*outcome) {}), func(o *outcome) { o.env = "REGION=eu" })},
		}},
		{name: "replicas changed with an autoscaler", kind: handlers, start: said{v1: autoscaled}, first: scaled,
			unsaid: "v1alpha1 has no autoscaling", steps: []step{
				// "Under an autoscaler only the derived bounds" follow;
				// the autoscaler brings the workload within them.
				{name: "the bounds follow", patch: sameInBoth(`{"replicas": 8}`), replicas: 8,
					want: scaled.with(func(o *outcome) { o.plan, o.replicas, o.least, o.most, o.created = same, 4, 4, 24, 8 })},
				{name: "the autoscaler is removed", patch: said{v1: `{"autoscaling": null}`},
					want: scaled.with(func(o *outcome) { o.plan, o.replicas, o.least, o.most = same, 8, 0, 0 })},
			}},
	}
}

const autoscaled = `{"path": "/users", "image": "app:v1.0.0", "replicas": 2, "autoscaling": {"enabled": true}}`

var scaled = served.with(func(o *outcome) { o.port, o.cpu, o.env, o.replicas, o.least, o.most = 3000, "100m", "", 2, 1, 6 })
