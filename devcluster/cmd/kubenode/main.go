// The launcher sets this tag when it builds; see cmd/kubebox for why.

//go:build kubebox

// Command kubenode is what runs on a Kubernetes node, in one executable: kubelet
// or kube-proxy, by the name it is called by. It is not part of kubebox, because
// that is built for every test run, and this only where pods really run.
//
// It must not know anything of Gati, nor which arguments the components get:
// that is package machine's.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// components lists what the executable can be, by the name it is called by.
var components = map[string]func() *cobra.Command{
	"kubelet":    func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	"kube-proxy": proxy.NewProxyCommand,
}

func main() {
	name := filepath.Base(os.Args[0])
	command, ok := components[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "kubenode: %q is no component; link this file as kubelet or kube-proxy\n", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}
