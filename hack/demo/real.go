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
	// webhookImage is what "make image" has written.
	webhookImage = "dist/gati-webhook.tar"
	installYAML  = "manifests/install.yaml"
	host         = "users.example.com"
)

// upReal is the tour with pods that are processes: gati-webhook runs in two of
// them, installed as in any cluster, and the sample answers through a gateway.
func upReal(ctx context.Context, tools local.Tools) error {
	if os.Getenv("KUBECONFIG") != "" {
		return errors.New("NODES=real starts a cluster of its own; unset KUBECONFIG")
	}
	step("Starting a devcluster with a real node in " + clusterDir)
	if err := os.MkdirAll(workDir, 0o755); err != nil {
		return err
	}
	c, err := local.UpReal(ctx, tools, clusterDir, os.Stderr)
	if err != nil {
		return err
	}
	if err := load(ctx, c); err != nil {
		return err
	}
	step("kubectl apply -f " + installYAML)
	if err := kubectl(ctx, c, "apply", "-f", installYAML); err != nil {
		return err
	}
	if err := kubectl(ctx, c, "-n", local.Namespace, "rollout", "status", "deployment/gati-webhook", "--timeout=5m"); err != nil {
		return err
	}
	if err := serve(ctx, c); err != nil {
		return err
	}
	if err := look(ctx, c, tools); err != nil {
		return err
	}
	return greet(ctx, c)
}

// load gives the node the images: there is nothing to pull them from.
func load(ctx context.Context, c *local.Cluster) error {
	step("Loading the images of gati-webhook and of the sample")
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

// serve applies the sample and waits until it serves.
func serve(ctx context.Context, c *local.Cluster) error {
	step("Applying samples/app")
	for _, name := range []string{"application.yaml", "devcluster.yaml"} {
		if err := kubectl(ctx, c, "apply", "-f", sampleapp.Dir+"/manifests/"+name); err != nil {
			return err
		}
	}
	return kubectl(ctx, c, "wait", "--for=condition=Ready", "--timeout=5m", "gatihandlers,gatimodules", "--all")
}

// kubectl prints what kubectl prints.
func kubectl(ctx context.Context, c *local.Cluster, args ...string) error {
	out, err := c.Run(ctx, "", args...)
	if err == nil {
		fmt.Print(out)
	}
	return err
}

// greet asks the sample through the gateway, and says how to go on.
func greet(ctx context.Context, c *local.Cluster) error {
	port, err := c.Run(ctx, "", "get", "gateway", "-n", "devcluster", "gateway", "-o", "jsonpath={.spec.listeners[0].port}")
	if err != nil {
		return err
	}
	url := "http://127.0.0.1:" + strings.TrimSpace(port) + "/users/7"
	step("curl -H Host:" + host + " " + url)
	answer, err := ask(ctx, url)
	if err != nil {
		return err
	}
	fmt.Printf(`%s

Go on:
  export KUBECONFIG=%s PATH=$PWD/bin:$(bin/devcluster assets):$PATH
  while curl -sS -H Host:%s %s; do echo; sleep 1; done &
  kubectl patch gh/users --type=merge -p '{"spec":{"image":"gati.dev/sample-app:v1.1.0"}}'
  kubectl gati status users --watch
  make demo-down
`, answer, absolute(c.Kubeconfig), host, url)
	return nil
}

// ask repeats a request until the gateway knows the route.
func ask(ctx context.Context, url string) (string, error) {
	const patience = time.Minute
	deadline := time.Now().Add(patience)
	for {
		answer, err := once(ctx, url)
		if err == nil || time.Now().After(deadline) || ctx.Err() != nil {
			return answer, err
		}
		time.Sleep(500 * time.Millisecond)
	}
}

func once(ctx context.Context, url string) (string, error) {
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
