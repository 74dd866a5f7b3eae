package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Spec says what to start.
type Spec struct {
	// Path is the executable and Args what follows its name.
	Path string
	Args []string
	// Marker is the cluster's marker, Home a directory that is the process's
	// home and working directory, LogFile where its output is appended.
	Marker, Home, LogFile string
	// Env is added to the few variables that every process gets.
	Env []string
}

// Process is a child that this very launcher started.
type Process struct {
	ID     ID
	exited chan struct{}
}

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Start starts a process in a session of its own, so that neither the end of
// the launcher nor a Ctrl-C in its terminal reaches it.
func Start(spec Spec) (*Process, error) {
	log, err := os.OpenFile(spec.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", filepath.Base(spec.Path), err)
	}
	defer log.Close()
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Dir, cmd.Env = spec.Home, buildEnvironment(spec)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	return adoptChild(cmd), nil
}

// adoptChild notes who the child is and reaps it when it ends.
func adoptChild(cmd *exec.Cmd) *Process {
	// A child that ended already can still be identified: it is not reaped yet.
	id, _ := Identify(cmd.Process.Pid)
	p := &Process{ID: id, exited: make(chan struct{})}
	go func() {
		defer close(p.exited)
		_ = cmd.Wait() // The reason is in its log.
	}()
	return p
}

// buildEnvironment is small on purpose: settings in the user's shell (proxies, Go
// debug switches, a kubeconfig) must not change what a cluster does.
func buildEnvironment(spec Spec) []string {
	env := []string{MarkerVar + "=" + spec.Marker, "HOME=" + spec.Home}
	for _, name := range []string{"PATH", "TMPDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, spec.Env...)
}
