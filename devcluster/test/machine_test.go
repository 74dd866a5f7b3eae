package test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// kernelSettings are some that a node would change on a machine of its own.
var kernelSettings = []string{
	"net/ipv4/ip_forward", "vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops",
	"kernel/keys/root_maxkeys", "net/netfilter/nf_conntrack_max",
}

// places are where a node keeps state on a machine of its own.
var places = []string{
	"/var/lib/kubelet", "/var/lib/containerd", "/var/lib/cni", "/var/log/pods", "/var/log/containers",
	"/run/containerd", "/run/netns", "/etc/cni", "/opt/cni", "/opt/containerd", "/usr/libexec/kubernetes",
}

// machine has the visible state of this machine, by topic.
type machine map[string][]string

func lookAtMachine(t *testing.T) machine {
	t.Helper()
	m := machine{}
	m["mounts"] = splitLines(readFile(t, "/proc/self/mounts"))
	m["routes"] = splitLines(readFile(t, "/proc/net/route"))
	links, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		m["links"] = append(m["links"], link.Name)
	}
	for _, program := range []string{"iptables-nft-save", "iptables-legacy-save"} {
		if out, err := exec.Command(program).Output(); err == nil {
			m[program] = ruleLines(string(out))
		}
	}
	m["control groups"] = listCgroups()
	for _, name := range kernelSettings {
		m["settings"] = append(m["settings"], name+"="+strings.TrimSpace(readFile(t, "/proc/sys/"+name)))
	}
	for _, place := range places {
		if _, err := os.Stat(place); err == nil {
			m["places"] = append(m["places"], place)
		}
	}
	return m
}

// ruleLines leaves out the comments, which have the time of day.
func ruleLines(saved string) []string {
	return slices.DeleteFunc(splitLines(saved), func(line string) bool { return strings.HasPrefix(line, "#") })
}

// listCgroups lists the groups of devclusters; others come and go.
func listCgroups() []string {
	var found []string
	for _, pattern := range []string{"/sys/fs/cgroup/gati-*", "/sys/fs/cgroup/*/gati-*"} {
		paths, _ := filepath.Glob(pattern)
		found = append(found, paths...)
	}
	return found
}

func splitLines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// wantUnchanged compares the machine with how it was.
func (before machine) wantUnchanged(t *testing.T) {
	t.Helper()
	after := lookAtMachine(t)
	for what, was := range before {
		if now := after[what]; !slices.Equal(was, now) {
			t.Errorf("%s have changed: %v", what, listChanges(was, now))
		}
	}
	for what, now := range after {
		if _, known := before[what]; !known {
			t.Errorf("there are %s now: %v", what, now)
		}
	}
}

func listChanges(was, now []string) (changes []string) {
	for _, line := range now {
		if !slices.Contains(was, line) {
			changes = append(changes, "+ "+line)
		}
	}
	for _, line := range was {
		if !slices.Contains(now, line) {
			changes = append(changes, "- "+line)
		}
	}
	return changes
}

// awaitNil asks until the answer is nil.
func awaitNil(t *testing.T, what string, ask func() error) {
	t.Helper()
	begin := time.Now()
	for {
		err := ask()
		if err == nil {
			t.Logf("%s after %s", what, time.Since(begin).Round(10*time.Millisecond))
			return
		}
		if time.Since(begin) > patience {
			t.Fatalf("not within %s: %s: %v", patience, what, err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}
