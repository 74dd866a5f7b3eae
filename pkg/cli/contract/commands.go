package contract

import "gati.dev/gati/pkg/cli/exit"

// commands are all of them, as the help lists them.
var commands = []Command{
	{Path: ""},
	{Path: "status", Exits: ends, Rights: with(sought(), all(), shown(children...), followed("--watch, --for"), pressed())},
	{Path: "explain", Exits: ends, Rights: with(sought(), shown(children...))},
	{Path: "logs", Rights: with(sought(), []Right{
		{Verb: "list", Resource: "pods"}, {Verb: "get", Resource: "pods/log"}, {"watch", "pods", "-f", polled},
	}, shown(versions, deployments, autoscalers))},
	{Path: "rollout", Exits: ends, Rights: with(sought(), shown(children...), followed(""), pressed())},
	{Path: "rollout status", Exits: ends, Rights: with(sought(), shown(children...), followed(""))},
	{Path: "rollout history", Rights: []Right{{Verb: "get", Resource: handlers}}},
	{Path: "rollout promote", Rights: selected("promote")},
	{Path: "rollout pause", Rights: selected("pause")},
	{Path: "rollout resume", Rights: selected("resume")},
	{Path: "rollout abort", Rights: selected("abort")},
	{Path: "rollout rollback", Rights: selected("rollback")},
	{Path: "rollout restart", Rights: selected("restart")},
	{Path: "version", Rights: with(all(), shown(children...))},
	{Path: "version list", Rights: with([]Right{{"get", handlers, "HANDLER", ""}}, all(), shown(children...))},
	{Path: "version get", Rights: one()},
	{Path: "version diff", Exits: findings, Rights: with(one(), []Right{
		{"list", revisions, "", "schemas kept only there are missing, with a warning"},
	})},
	{Path: "version set-traffic", Rights: edited("traffic")},
	{Path: "version tag", Rights: edited("tag")},
	{Path: "version untag", Rights: edited("tag")},
	{Path: "version keep", Rights: edited("keep")},
	{Path: "version activate", Rights: edited("activate")},
	{Path: "version deactivate", Rights: edited("activate")},
	{Path: "version decommission", Rights: asked("decommission")},
	{Path: "expand", Exits: findings, Rights: sought()},
	{Path: "diff", Exits: findings, Rights: compared(), Means: map[int]string{
		0: "nothing would change", 1: "something would change", 2: "invalid usage, or an error", 3: "the apply would be refused",
	}},
	{Path: "lint", Exits: findings},
	{Path: "convert", Exits: findings},
	{Path: "doctor", Exits: findings, Rights: examined()},
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
