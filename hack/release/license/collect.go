package license

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Standard is the path that Go's own library has in an inventory.
const Standard = "std"

// Platform is a system and an architecture, by Go's names.
type Platform struct{ OS, Arch string }

// Collect returns the modules that the packages of a checkout link on any of the
// platforms, and an error for each that may not be distributed.
func Collect(root string, platforms []Platform, packages ...string) (Inventory, error) {
	standard, err := findStandard(root)
	if err != nil {
		return nil, err
	}
	found := folders{standard: map[string]bool{standard.dir: true}}
	for _, p := range platforms {
		if err := found.listPackages(root, p, packages); err != nil {
			return nil, err
		}
	}
	inventory := Inventory{}
	var faults []error
	for m, dirs := range found {
		described, err := readModule(m, slices.Sorted(maps.Keys(dirs)))
		if err == nil {
			err = checkLicense(described)
		}
		faults = append(faults, err)
		inventory[m.path+"@"+m.version] = described
	}
	slices.SortFunc(faults, func(a, b error) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return inventory, errors.Join(faults...)
}

// location is a module and the folder that it is in.
type location struct{ path, version, dir string }

// folders has the folders of the linked packages of each module.
type folders map[location]map[string]bool

// linked is a package as "go list" describes it.
type linked struct {
	Dir    string
	Module *listedModule
}

type listedModule struct {
	Path, Version, Dir string
	Main               bool
	Replace            *listedModule
}

func (f folders) listPackages(root string, p Platform, packages []string) error {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Dir,Module"}, packages...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+p.OS, "GOARCH="+p.Arch)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list what is linked on %s/%s: %w: %s", p.OS, p.Arch, err, problems.String())
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var l linked
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		f.addModule(l)
	}
}

func (f folders) addModule(l linked) {
	m := l.Module
	if m == nil || m.Main {
		return // Go's own library, and ours
	}
	if m.Replace != nil {
		m = m.Replace
	}
	at := location{m.Path, m.Version, m.Dir}
	if f[at] == nil {
		f[at] = map[string]bool{}
	}
	// A package is under the licences of its folder and of those above it.
	for dir := l.Dir; strings.HasPrefix(dir, at.dir); dir = filepath.Dir(dir) {
		f[at][dir] = true
	}
}

// findStandard returns the toolchain that a checkout is built with.
func findStandard(root string) (location, error) {
	cmd := exec.Command("go", "env", "GOVERSION", "GOROOT")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return location{}, fmt.Errorf("go env: %w", err)
	}
	version, dir, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return location{Standard, version, dir}, nil
}
