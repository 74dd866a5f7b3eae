// The launcher sets this tag when it builds. Without it the command is no part
// of ./..., or every go vet and go test of the launcher would first compile
// all of Kubernetes, for minutes.

//go:build kubebox

// Command kubebox is a Kubernetes control plane in one executable: which
// component it is depends on the name it is called by, as with busybox. The
// devcluster links it as etcd, kube-apiserver, kube-controller-manager and
// kube-scheduler.
//
// It must not know anything of Gati, nor which arguments the components get:
// that is package control's.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// components lists what the executable can be, by the name it is called by.
var components = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
}

func main() {
	name := filepath.Base(os.Args[0])
	if name == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	command, ok := components[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "kubebox: %q is no component; link this file as etcd, kube-apiserver, kube-controller-manager or kube-scheduler\n", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}
