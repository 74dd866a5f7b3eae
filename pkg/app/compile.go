package app

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// defaults are the compiler's options of a folder whose own cannot be read: they extend
// those of a repository around it.
func defaults(isModule bool) map[string]any {
	options := map[string]any{
		"target": "ES2022", "module": "ESNext", "moduleResolution": "Bundler", "lib": []string{"ES2022"},
		"strict": true, "esModuleInterop": true, "skipLibCheck": true, "resolveJsonModule": true,
	}
	if !isModule {
		options["module"], options["moduleResolution"] = "CommonJS", "Node10"
	}
	return options
}

var extends = lazyregexp.New(`"extends"\s*:\s*"(\.[^"]*)"`)

// compilerConfig returns the tsconfig.json of an image: the folder's own options, for the
// code of production alone.
func compilerConfig(dir fs.FS, isModule bool, files []*file) []byte {
	options := map[string]any{}
	config := map[string]any{"include": parts, "exclude": []string{"**/*.test.*", "**/*.spec.*"}}
	if text, err := fs.ReadFile(dir, "tsconfig.json"); err == nil && extendsFolder(dir, string(text)) {
		config["extends"] = "./tsconfig.json"
	} else {
		options = defaults(isModule)
	}
	options["outDir"], options["rootDir"], options["noEmit"], options["composite"], options["incremental"] = "dist", "src", false, false, false
	if slices.ContainsFunc(files, func(f *file) bool { return !strings.HasPrefix(f.path, "src/") }) {
		options["rootDir"] = "."
	}
	config["compilerOptions"] = options
	text, err := json.Marshal(config)
	if err != nil {
		panic(err) // Strings and booleans alone.
	}
	return text
}

// extendsFolder reports whether a tsconfig.json needs nothing outside of the folder.
func extendsFolder(dir fs.FS, text string) bool {
	match := extends.FindStringSubmatch(withoutComments(text))
	if match == nil {
		return true
	}
	target := path.Clean(match[1])
	if !fs.ValidPath(target) {
		return false
	}
	_, err := fs.Stat(dir, target)
	_, errJSON := fs.Stat(dir, target+".json")
	return err == nil || errJSON == nil
}
