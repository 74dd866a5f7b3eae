package plugin

var (
	module = said{
		v1: `{"type": "node", "moduleName": "db", "runtime": "node:20", "image": "db:v1.0.0", "replicas": 1, "port": 6000,
			"resources": {"requests": {"cpu": "50m"}}, "capabilities": ["network:egress"],
			"env": [{"name": "LEVEL", "value": "info"}, {"name": "REGION", "value": "eu"}]}`,
		v1alpha1: `{"moduleType": "node", "moduleName": "db", "runtime": "node:20", "image": "db:v1.0.0", "replicas": 1, "port": 6000,
			"resources": {"requests": {"cpu": "50m"}}, "capabilities": ["network:egress"],
			"env": {"LEVEL": "info", "REGION": "eu"}}`,
	}
	provided = outcome{
		revisions: 1, templates: 1, image: "db:v1.0.0", port: 6000,
		env: "LEVEL=info REGION=eu", cpu: "50m", replicas: 1,
	}
)

// moduleChanges are those of handlers, but for the version, which modules lack.
func moduleChanges() []change {
	otherTraffic := provided.with(func(o *outcome) { o.plan = same })
	const scaledModule = `{"type": "node", "image": "db:v1.0.0", "replicas": 2, "autoscaling": {"enabled": true}}`
	grown := provided.with(func(o *outcome) { o.port, o.cpu, o.env, o.replicas, o.least, o.most = 50051, "100m", "", 2, 1, 6 })
	return []change{
		{name: "image changed", kind: modules, start: module, first: provided, steps: []step{
			{name: "image", patch: sameInBoth(`{"image": "db:v2.0.0"}`), want: rolledFrom(provided, func(o *outcome) { o.image = "db:v2.0.0" })},
		}},
		{name: "replicas changed without an autoscaler", kind: modules, start: module, first: provided, steps: []step{
			{name: "no input", patch: sameInBoth(`{"replicas": 3}`), replicas: 3, want: provided.with(func(o *outcome) { o.plan, o.replicas = same, 3 })},
		}},
		{name: "replicas changed with an autoscaler", kind: modules, start: said{v1: scaledModule}, first: grown,
			unsaid: "v1alpha1 has no autoscaling", steps: []step{
				{name: "the bounds follow", patch: sameInBoth(`{"replicas": 8}`), replicas: 8,
					want: grown.with(func(o *outcome) { o.plan, o.replicas, o.least, o.most, o.created = same, 4, 4, 24, 8 })},
			}},
		{name: "fields removed", kind: modules, start: module, first: provided, steps: []step{
			{name: "with a static and a derived default", patch: sameInBoth(`{"port": null, "resources": null}`),
				want: rolledFrom(provided, func(o *outcome) { o.port, o.kept, o.cpu = 50051, 6000, "100m" })},
		}},
		// What a module may call is no matter of its pods.
		{name: "list element changed", kind: modules, start: module, first: provided, steps: []step{
			{name: "a capability that rules traffic", patch: sameInBoth(`{"capabilities": ["database:read"]}`), want: otherTraffic},
			{name: "one that mounts a volume", patch: sameInBoth(`{"capabilities": ["filesystem:write"]}`), want: rolledFrom(otherTraffic, func(*outcome) {})},
			{name: "a variable", patch: said{
				v1:       `{"env": [{"name": "LEVEL", "value": "debug"}, {"name": "REGION", "value": "eu"}]}`,
				v1alpha1: `{"env": {"LEVEL": "debug"}}`,
			}, want: rolledFrom(rolledFrom(otherTraffic, func(*outcome) {}), func(o *outcome) { o.env = "LEVEL=debug REGION=eu" })},
		}},
	}
}
