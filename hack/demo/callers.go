package main

import (
	"context"
	"fmt"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/sampleapp"
)

const (
	// profilesHost is where the second handler of the sample is.
	profilesHost = "profiles.example.com"
	profile      = "/profiles/1"
)

// breakNobody rolls out a version that breaks the callers of the one before, asks as such a
// caller before and after, and waits until the old version went: its own pods measured that
// it gets no requests.
func breakNobody(ctx context.Context, c *local.Cluster, tools local.Tools) error {
	for _, version := range []string{"v1.0.0", "v2.0.0"} {
		if err := rollOutProfiles(ctx, c, version); err != nil {
			return err
		}
		if _, err := askHandler(ctx, c, profilesHost, profile); err != nil {
			return err
		}
	}
	printStep("Waiting until the pods of v1.0.0 have measured no request for drain.window")
	if err := runKubectl(ctx, c, "wait", "--for=jsonpath={.status.versions[0].phase}=Decommissioned", "--timeout=5m", "gh/profiles"); err != nil {
		return err
	}
	return runPlugin(ctx, c, tools, "status", "profiles")
}

// rollOutProfiles applies a version and waits until it has all traffic.
func rollOutProfiles(ctx context.Context, c *local.Cluster, version string) error {
	file := fmt.Sprintf("%s/manifests/profiles-%s.yaml", sampleapp.Dir, version)
	printStep("kubectl apply -f " + file)
	if err := runKubectl(ctx, c, "apply", "-f", file); err != nil {
		return err
	}
	serves := "--for=jsonpath={.status.rollout.stable.version}=" + version
	if err := runKubectl(ctx, c, "wait", serves, "--timeout=10m", "gh/profiles"); err != nil {
		return err
	}
	return runKubectl(ctx, c, "wait", "--for=condition=Ready", "--timeout=5m", "gh/profiles")
}
