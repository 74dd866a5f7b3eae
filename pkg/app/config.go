package app

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"gati.dev/gati/pkg/lazyregexp"
)

// configs are the files of upstream's configuration; the first that exists is read.
var configs = []string{"gati.config.ts", "gati.config.js", "gati.config.mjs", "gati.config.json"}

// before is what may stand before a field: the beginning of the configuration, or of a part
// of it that upstream's examples use.
const before = `(?:export\s+default\s*(?:\w+\s*\()?\s*\{|=\s*\{|^\s*\{|["']?\b(?:app|server|config)["']?\s*:\s*\{)(?:[^{}]|\{[^{}]*\})*?["']?\b`

var (
	configPort = lazyregexp.New(before + `port["']?\s*:\s*(\d+)\s*[,}\n]`)
	configName = lazyregexp.New(before + `name["']?\s*:\s*['"]([^'"\n]+)['"]`)
)

// configParts are fields that name a folder, or have code.
var configParts = []struct {
	name         string
	folder, code *lazyregexp.Regexp
}{
	{"handlers", folderField("handlers"), codeField("handlers")},
	{"routes", folderField("routes"), codeField("routes")},
	{"modules", folderField("modules"), codeField("modules")},
}

func folderField(name string) *lazyregexp.Regexp {
	return lazyregexp.New(before + `(` + name + `)["']?\s*:\s*['"](?:\./)?([^'"\n]+)['"]`)
}

func codeField(name string) *lazyregexp.Regexp {
	return lazyregexp.New(before + `(` + name + `)["']?\s*:\s*(?:async\b|\(|\[\s*[^\s\]])`)
}

// readConfig takes what gati.config says of port and name, and notes what of it nothing
// runs: gati-kubernetes serves the files of handlers and modules.
func (a *Application) readConfig(dir fs.FS) error {
	for _, name := range configs {
		text, err := fs.ReadFile(dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		return a.applyConfig(name, withoutComments(string(text)))
	}
	return nil
}

func (a *Application) applyConfig(name, text string) error {
	if match := configPort.FindStringSubmatch(text); match != nil {
		port, err := strconv.Atoi(match[1])
		if err != nil || port < 1 || port > 65535 {
			return fmt.Errorf("%s: port is %s, want one from 1 to 65535", name, match[1])
		}
		a.Port = port
	}
	if match := configName.FindStringSubmatch(text); match != nil && objectName(match[1]) != "" {
		a.Name = objectName(match[1])
	}
	for _, part := range configParts {
		for _, m := range part.folder.FindAllStringSubmatchIndex(text) {
			if folder := text[m[4]:m[5]]; folder != "src/"+part.name {
				return fmt.Errorf("%s:%d: %s is %q; gati-kubernetes serves those of src/%s: move them there", name, lineOf(text, m[2]), part.name, folder, part.name)
			}
		}
		for _, m := range part.code.FindAllStringSubmatchIndex(text) {
			a.Notes = append(a.Notes, fmt.Sprintf("%s:%d: %s of the configuration are not run; gati-kubernetes serves the files of src/handlers and src/modules", name, lineOf(text, m[2]), part.name))
		}
	}
	return nil
}
