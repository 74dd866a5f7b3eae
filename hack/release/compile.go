package main

import (
	"fmt"
	"os"
	"os/exec"
)

// program is a program of this repository.
type program struct {
	folder string
	// variable is the one that the linker sets to the version.
	variable string
}

// installedImage is the variable of the image that the plugin installs.
const installedImage = "gati.dev/gati/manifests/bundle.released"

var (
	plugin  = program{"./cmd/kubectl-gati", "gati.dev/gati/pkg/cli/version.release"}
	webhook = program{"./cmd/gati-webhook", "gati.dev/gati/cmd/gati-webhook/app.release"}
)

// compileProgram compiles a program without traces of this machine. more are further
// variables that the linker sets, as NAME=VALUE.
func (o *options) compileProgram(p program, binary, version, goos, goarch string, more ...string) error {
	flags := "-s -w"
	for _, variable := range append([]string{p.variable + "=" + version}, more...) {
		flags += " -X " + variable
	}
	// The tag is explained in the Makefile, which builds the same programs. Inlining makes
	// the generated code of Kubernetes' types larger, by 1.6 MB, and nothing faster.
	cmd := exec.Command("go", "build", "-tags", "grpcnotrace", "-gcflags", "k8s.io/api/...=-l", "-trimpath", "-buildvcs=false",
		"-ldflags", flags, "-o", binary, p.folder)
	cmd.Dir = o.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build %s for %s/%s: %w", p.folder, goos, goarch, err)
	}
	return nil
}
