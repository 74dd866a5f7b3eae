package contract

import "gati.dev/gati/pkg/cli/exit"

// commands are all of them, as the help lists them.
var commands = []Command{
	{Path: ""},
	{Path: "status", Exits: ends, Rights: concat(readNamed(), readAll(), readChildren(children...), watchChildren("--watch, --for"), pressKeys())},
	{Path: "explain", Exits: ends, Rights: concat(readNamed(), readChildren(children...), []Right{{"list", "events", "", "the answer of a probe that fails is not named"}})},
	{Path: "logs", Rights: concat(readNamed(), []Right{
		{Verb: "list", Resource: "pods"}, {Verb: "get", Resource: "pods/log"}, {"watch", "pods", "-f", polled},
	}, readChildren(versions, deployments, autoscalers))},
	{Path: "rollout", Exits: ends, Rights: concat(readNamed(), readChildren(children...), watchChildren(""), pressKeys())},
	{Path: "rollout status", Exits: ends, Rights: concat(readNamed(), readChildren(children...), watchChildren(""))},
	{Path: "rollout history", Rights: []Right{{Verb: "get", Resource: handlers}}},
	{Path: "rollout plan", Exits: findings},
	{Path: "rollout simulate", Exits: findings},
	{Path: "rollout replay", Exits: findings, Rights: []Right{{"get", handlers, "NAME", ""}, {"get", "configmaps", "NAME", ""}}},
	{Path: "rollout promote", Rights: sendToSelected("promote")},
	{Path: "rollout pause", Rights: sendToSelected("pause")},
	{Path: "rollout resume", Rights: sendToSelected("resume")},
	{Path: "rollout abort", Rights: sendToSelected("abort")},
	{Path: "rollout retry", Rights: sendToSelected("retry")},
	{Path: "rollout rollback", Rights: sendToSelected("rollback")},
	{Path: "rollout restart", Rights: sendToSelected("restart")},
	{Path: "version", Rights: concat(readAll(), readChildren(children...))},
	{Path: "version list", Rights: concat([]Right{{"get", handlers, "HANDLER", ""}}, readAll(), readChildren(children...))},
	{Path: "version get", Rights: readOne()},
	{Path: "version diff", Exits: findings, Rights: concat(readOne(), []Right{
		{"list", revisions, "", "schemas kept only there are missing, with a warning"},
	})},
	{Path: "version scaffold", Rights: concat(readOne(), []Right{
		{"list", revisions, "", "schemas kept only there are missing, with a warning"},
	})},
	{Path: "version test-transformers", Exits: findings},
	{Path: "version set-traffic", Rights: editRecords("traffic")},
	{Path: "version tag", Rights: editRecords("tag")},
	{Path: "version untag", Rights: editRecords("tag")},
	{Path: "version keep", Rights: editRecords("keep")},
	{Path: "version activate", Rights: editRecords("activate")},
	{Path: "version deactivate", Rights: editRecords("activate")},
	{Path: "version decommission", Rights: sendRequest("decommission")},
	{Path: "version contract", Rights: sendRequest("contract")},
	{Path: "expand", Exits: findings, Rights: concat(readNamed(), planChildren())},
	{Path: "diff", Exits: findings, Rights: compareWithApply(), Means: map[int]string{
		0: "nothing would change", 1: "something would change", 2: "invalid usage, or an error", 3: "the apply would be refused",
	}},
	{Path: "lint", Exits: findings},
	{Path: "convert", Exits: findings},
	{Path: "adopt", Exits: findings},
	{Path: "init"},
	{Path: "build"},
	{Path: "schemas", Exits: findings},
	{Path: "delete", Rights: []Right{{Verb: "get", Resource: modules}, {Verb: "list", Resource: handlers}, {Verb: "delete", Resource: modules}}},
	{Path: "doctor", Exits: findings, Rights: examineCluster()},
	{Path: "install", Administrator: true},
	{Path: "upgrade", Administrator: true},
	{Path: "uninstall", Administrator: true},
	{Path: "completion"},
	{Path: "completion install"},
	{Path: "completion uninstall"},
}

// common are the exit codes that every command has.
var common = []int{exit.OK, exit.Error, exit.Usage, exit.Interrupted}

// The exit codes that some have besides.
var (
	findings = []int{exit.Unhealthy}
	ends     = []int{exit.Unhealthy, exit.Paused}
)
