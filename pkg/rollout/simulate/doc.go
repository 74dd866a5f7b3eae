// Package simulate plays rollouts with synthetic pods and requests: the machine of
// pkg/rollout decides, by the policy of a spec, and its decisions take effect at once.
// "kubectl gati rollout simulate" and "rollout plan" show what comes of them.
//
// Read player.go first: a Player is one rollout. The pods are always ready and the gateway
// takes every weight, so that only requests decide. Requests come as a Traffic says: drawn
// at random, or evenly.
//
// The package must not decide about a version: it knows weights and counters, no tests.
package simulate
