package machine

import (
	"fmt"
	"path/filepath"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/sandbox"
)

// Dirs lists the directories, in that of the cluster, that the node's mounts
// need.
func Dirs() []string {
	return []string{
		filepath.Join(control.DataDir, "kubelet"),
		filepath.Join(control.DataDir, "containerd"),
		filepath.Join(control.DataDir, "kernel"),
		filepath.Join(control.LogDir, "pods"),
	}
}

// Setup lists the steps that make a node out of empty namespaces, whose holder
// is given by its process id.
func (l Layout) Setup(holder int) []sandbox.Command {
	var steps []sandbox.Command
	steps = append(steps, l.linkSteps(holder)...)
	steps = append(steps, l.mountSteps()...)
	return append(steps, l.kernelSteps()...)
}

func runOutside(args ...string) sandbox.Command { return sandbox.Command{Args: args} }
func runInside(args ...string) sandbox.Command  { return sandbox.Command{Inside: true, Args: args} }

// linkSteps connect the node with the machine, and with nothing else: there is
// no default route, so a pod that calls out, or a kubelet that pulls an image,
// is told so at once.
func (l Layout) linkSteps(holder int) []sandbox.Command {
	return []sandbox.Command{
		runOutside("ip", "link", "add", l.Link, "address", l.MAC, "type", "veth", "peer", "name", "eth0", "netns", fmt.Sprint(holder)),
		runOutside("ip", "address", "add", l.Host()+"/24", "dev", l.Link),
		runOutside("ip", "link", "set", l.Link, "up"),
		runInside("ip", "link", "set", "lo", "up"),
		runInside("ip", "address", "add", l.Node()+"/24", "dev", "eth0"),
		runInside("ip", "link", "set", "eth0", "up"),
		// kube-proxy rewrites what is sent to a Service, but only what has a route
		// gets that far. What no Service claims ends in a bridge to nowhere.
		runInside("ip", "link", "add", "services", "type", "bridge"),
		runInside("ip", "link", "set", "services", "up"),
		runInside("ip", "route", "add", l.ServiceRange(), "dev", "services", "src", l.Node()),
		runInside("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"),
		runOutside("ip", "route", "add", l.PodRange(), "via", l.Node()),
		runOutside("ip", "route", "add", l.ServiceRange(), "via", l.Node()),
	}
}

// mountSteps give the node places of its own where kubelet, containerd and their
// helpers keep state at paths that cannot be changed.
func (l Layout) mountSteps() []sandbox.Command {
	return []sandbox.Command{
		// Pods may ask for mounts that propagate, which this makes possible. The
		// machine's own mounts stay out of it.
		runInside("mount", "--make-rshared", "/"),
		runInside("mount", "-t", "tmpfs", "tmpfs", "/run"),
		runInside("mount", "-t", "tmpfs", "tmpfs", "/var/lib"),
		runInside("mount", "-t", "tmpfs", "tmpfs", "/var/log"),
		runInside("mkdir", "/var/lib/kubelet", "/var/lib/containerd", "/var/lib/cni"),
		runInside("mount", "--bind", l.dataPath("kubelet"), "/var/lib/kubelet"),
		runInside("mount", "--bind", l.dataPath("containerd"), "/var/lib/containerd"),
		runInside("sh", "-c", "echo 'search cluster.local' > "+resolvConf),
	}
}

// resolvConf is the configuration of pods' name resolution beyond the cluster:
// none.
const resolvConf = "/run/resolv.conf"

// tunables are settings of the kernel that a kubelet insists on changing.
var tunables = []string{
	"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
	"kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
}

// kernelSteps put files over those settings, for the kubelet to change instead:
// they belong to the whole machine, which is not the cluster's.
func (l Layout) kernelSteps() []sandbox.Command {
	var steps []sandbox.Command
	for _, name := range tunables {
		real, copied := "/proc/sys/"+name, filepath.Join(l.dataPath("kernel"), filepath.Base(name))
		steps = append(steps,
			runInside("cp", real, copied),
			runInside("mount", "--bind", copied, real))
	}
	return steps
}

// Hidden are the directories that the node has of its own: what the machine
// keeps in there cannot be read inside.
func Hidden() []string { return []string{"/run", "/var/run", "/var/lib", "/var/log"} }
