package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/sampleapp"
)

const (
	// webhookImage is the archive written by "make image".
	webhookImage = "dist/gati-webhook.tar"
	installYAML  = "manifests/install.yaml"
	host         = "users.example.com"
)

// upReal is the tour with pods that run as processes: two replicas each of the hooks
// and the controllers, installed as in any cluster, and the sample behind a gateway.
func upReal(ctx context.Context, tools local.Tools) error {
	if os.Getenv("KUBECONFIG") != "" {
		return errors.New("NODES=real starts a cluster of its own; unset KUBECONFIG")
	}
	printStep("Starting a devcluster with a real node in " + clusterDir)
	if err := os.MkdirAll(workDir, 0o755); err != nil {
		return err
	}
	c, err := local.UpReal(ctx, tools, clusterDir, os.Stderr)
	if err != nil {
		return err
	}
	if err := loadImages(ctx, c); err != nil {
		return err
	}
	printStep("kubectl apply -f " + installYAML)
	if err := runKubectl(ctx, c, "apply", "-f", installYAML); err != nil {
		return err
	}
	for _, name := range []string{local.Account, local.ControllerAccount} {
		if err := runKubectl(ctx, c, "-n", local.Namespace, "rollout", "status", "deployment/"+name, "--timeout=5m"); err != nil {
			return err
		}
	}
	if err := applySample(ctx, c); err != nil {
		return err
	}
	if err := showStatus(ctx, c, tools); err != nil {
		return err
	}
	if err := breakNobody(ctx, c, tools); err != nil {
		return err
	}
	return printAnswer(ctx, c)
}

// loadImages loads the images into the node, which cannot pull them.
func loadImages(ctx context.Context, c *local.Cluster) error {
	printStep("Loading the images of gati-webhook and of the sample")
	sample, err := sampleapp.Image(ctx, sampleapp.Dir)
	if err != nil {
		return err
	}
	for _, archive := range []string{webhookImage, sample} {
		if err := c.LoadImage(ctx, archive); err != nil {
			return err
		}
	}
	return nil
}

// applySample applies the sample and waits until it is ready.
func applySample(ctx context.Context, c *local.Cluster) error {
	printStep("Applying samples/app")
	for _, name := range []string{"application.yaml", "devcluster.yaml"} {
		if err := runKubectl(ctx, c, "apply", "-f", sampleapp.Dir+"/manifests/"+name); err != nil {
			return err
		}
	}
	return runKubectl(ctx, c, "wait", "--for=condition=Ready", "--timeout=5m", "gatihandlers,gatimodules", "--all")
}

// runKubectl runs kubectl and prints its output.
func runKubectl(ctx context.Context, c *local.Cluster, args ...string) error {
	out, err := c.Run(ctx, "", args...)
	if err == nil {
		fmt.Print(out)
	}
	return err
}

// askHandler prints the answer of a handler through the gateway, as curl does.
func askHandler(ctx context.Context, c *local.Cluster, host, path string) (url string, err error) {
	port, err := c.Run(ctx, "", "get", "gateway", "-n", "devcluster", "gateway", "-o", "jsonpath={.spec.listeners[0].port}")
	if err != nil {
		return "", err
	}
	url = "http://127.0.0.1:" + strings.TrimSpace(port) + path
	printStep("curl -H Host:" + host + " " + url)
	answer, err := requestUntilRouted(ctx, host, url)
	if err == nil {
		fmt.Println(answer)
	}
	return url, err
}

// printAnswer prints the sample's answer through the gateway, and the next steps.
func printAnswer(ctx context.Context, c *local.Cluster) error {
	url, err := askHandler(ctx, c, host, "/users/7")
	if err != nil {
		return err
	}
	fmt.Printf(`

Go on:
  export KUBECONFIG=%s PATH=$PWD/bin:$(bin/devcluster assets):$PATH
  while curl -sS -H Host:%s %s; do echo; sleep 1; done &
  kubectl patch gh/users --type=merge -p '{"spec":{"image":"gati.dev/sample-app:v1.1.0"}}'
  kubectl gati status users --watch
  make demo-down
`, absolutePath(c.Kubeconfig), host, url)
	return nil
}

// requestUntilRouted repeats a request until the gateway has the route.
func requestUntilRouted(ctx context.Context, host, url string) (string, error) {
	const patience = time.Minute
	deadline := time.Now().Add(patience)
	for {
		answer, err := requestOnce(ctx, host, url)
		if err == nil || time.Now().After(deadline) || ctx.Err() != nil {
			return answer, err
		}
		time.Sleep(500 * time.Millisecond)
	}
}

func requestOnce(ctx context.Context, host, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	request.Host = host
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s: %s", url, answer.Status, body)
	}
	return string(body), err
}
