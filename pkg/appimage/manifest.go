package appimage

import (
	"encoding/json"
	"fmt"
)

const (
	// runner is the package that runs an application. It comes with this program.
	runner = "gati-kubernetes"
	// runnerDir is its place in the copy of a folder.
	runnerDir = ".gati-kubernetes"
)

// installable returns a package.json that installs the runner of this program, and runs no
// script of the author's machine.
func installable(text []byte) ([]byte, error) {
	var p map[string]json.RawMessage
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("package.json: %w", err)
	}
	dependencies := map[string]string{}
	if len(p["dependencies"]) > 0 {
		if err := json.Unmarshal(p["dependencies"], &dependencies); err != nil {
			return nil, fmt.Errorf("package.json: dependencies: %w", err)
		}
	}
	dependencies[runner] = "file:" + runnerDir
	var err error
	if p["dependencies"], err = json.Marshal(dependencies); err != nil {
		return nil, err
	}
	delete(p, "scripts")
	delete(p, "workspaces")
	return json.Marshal(p)
}
