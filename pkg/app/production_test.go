package app_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/pkg/app"
)

const upstreamHandler = "import type { Handler } from '@gati-framework/runtime';\nimport { HandlerError } from '@gati-framework/runtime';\n// import x from 'commented';\nexport const helloHandler: Handler = () => { throw new HandlerError('a', 404); };"

// TestProductionOfUpstreamsExamples holds what an image of each installs: their
// package.json as they are in upstream's repository.
func TestProductionOfUpstreamsExamples(t *testing.T) {
	tests := map[string]struct {
		manifest string
		removed  []string
		set      map[string]string
	}{
		"hello-world": {
			`{"name": "@gati/hello-world-example", "type": "module", "dependencies": {"@gati-framework/runtime": "workspace:*", "@gati-framework/playground": "workspace:*"}, "devDependencies": {"@types/node": "^20.11.0", "typescript": "^5.3.3"}}`,
			[]string{"dependencies.@gati-framework/playground"},
			map[string]string{"dependencies.@gati-framework/runtime": "^2.0.8", "dependencies.gati-kubernetes": "^0.1.0"},
		},
		"e2e-test-app": {
			`{"name": "@gati/e2e-test-app", "type": "module", "dependencies": {"@gati-framework/core": "file:../../.kiro/local-packages/gati-framework-core-0.4.5.tgz", "@gati-framework/runtime": "file:../../.kiro/local-packages/gati-framework-runtime-2.0.5.tgz"}, "devDependencies": {"@types/node": "^20.11.0", "typescript": "^5.3.3"}}`,
			[]string{"dependencies.@gati-framework/core"},
			map[string]string{"dependencies.@gati-framework/runtime": "^2.0.8", "dependencies.gati-kubernetes": "^0.1.0"},
		},
		"scaffold-verify": {
			`{"name": "scaffold-verify", "dependencies": {"@gati-framework/core": "^0.4.0"}}`, nil,
			map[string]string{"dependencies.@gati-framework/runtime": "^2.0.8", "dependencies.gati-kubernetes": "^0.1.0", "devDependencies.@types/node": "^22", "devDependencies.typescript": "^5.3.3"},
		},
		"a fresh one of upstream's CLI": {
			`{"name": "shop", "type": "module", "dependencies": {"@gati-framework/core": "^0.4.5", "@gati-framework/runtime": "^2.0.8"}, "devDependencies": {"@gati-framework/cli": "^1.0.19", "@types/node": "^20.10.0", "typescript": "^5.3.2", "vitest": "^1.0.0", "eslint": "^8.54.0"}}`, nil,
			map[string]string{"dependencies.gati-kubernetes": "^0.1.0"},
		},
	}
	for name, test := range tests {
		a, err := app.Read(folder(map[string]string{"package.json": test.manifest, "src/handlers/hello.ts": upstreamHandler, "tsconfig.json": `{"extends": "../../tsconfig.json"}`}))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p := a.Production
		if !slices.Equal(p.Removed, test.removed) || !maps.Equal(p.Set, test.set) {
			t.Errorf("%s: removed %v, set %v", name, p.Removed, p.Set)
		}
		var manifest struct{ Dependencies, DevDependencies map[string]string }
		if err := json.Unmarshal(p.Manifest, &manifest); err != nil {
			t.Fatal(err)
		}
		for _, spec := range slices.Concat(slices.Collect(maps.Values(manifest.Dependencies)), slices.Collect(maps.Values(manifest.DevDependencies))) {
			if strings.Contains(spec, ":") {
				t.Errorf("%s: installs %s", name, spec)
			}
		}
		if config := string(p.Config); strings.Contains(config, "extends") || !strings.Contains(config, `"rootDir":"src"`) {
			t.Errorf("%s: compiled by %s", name, config)
		}
	}
}

// TestProductionSaysWhatIsMissing holds one sentence for each import that an image lacks.
func TestProductionSaysWhatIsMissing(t *testing.T) {
	const manifest = `{"name": "a", "dependencies": {"@acme/shared": "workspace:*", "lib": "file:lib", "x.y": "1"}, "devDependencies": {"vitest": "1"}}`
	for text, want := range map[string]string{
		"\nimport { x } from '@acme/shared/x'":                         `src/handlers/a.js:2 imports @acme/shared, which is "workspace:*"`,
		"import type { X } from '@acme/shared'":                        "src/handlers/a.js:1 imports @acme/shared",
		"const { x } = require(\"zod\")":                               "src/handlers/a.js:1 imports zod, which package.json does not have; npm install zod",
		"await import('vitest')":                                       "imports vitest, which is in devDependencies",
		"import db from '@/modules/db'":                                `imports "@/modules", a path that only the compiler knows`,
		"import './gone.js'":                                           `src/handlers/a.js:1 imports "./gone.js", and there is no such file`,
		"import '../../../other/a.js'":                                 `imports "../../../other/a.js", which is outside of the folder`,
		"import fs from 'node:fs'; import 'path'; import '#own'":       "",
		"import type { X } from 'express'":                             "",
		"import lib from 'lib'; export * from '@gati-framework/core';": "",
		"/* import 'a' */ const s = 'a'; // require('c')":              "",
		"import x from 'x.y'":                                          "",
		"const p = /['\"]/; const q = 1 / 2; import('node:os')":        "",
	} {
		_, err := app.Read(folder(map[string]string{
			"package.json": manifest, "lib/index.js": "", "src/handlers/a.js": text + "\nexport const aHandler = () => {};",
			"src/handlers/a.test.js": "import 'only-in-tests'", "src/index.js": "import 'only-in-the-entry'",
		}))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
