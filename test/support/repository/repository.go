// Package repository finds the files of this repository, however deep the package of a
// test is. It must not know what is in them.
package repository

import (
	"os"
	"path/filepath"
)

// Path returns the path of a file of the repository. It looks upwards from where the
// process was started, which is the folder of the package under test.
func Path(elements ...string) string {
	folder, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, ".ci", "run")); err == nil {
			return filepath.Join(append([]string{folder}, elements...)...)
		}
		if folder == filepath.Dir(folder) {
			panic("not inside of the repository")
		}
		folder = filepath.Dir(folder)
	}
}

// Bin returns the folder of devcluster, gati-webhook and kubectl-gati: GATI_BIN, or bin.
func Bin() string {
	if folder := os.Getenv("GATI_BIN"); folder != "" {
		return folder
	}
	return Path("bin")
}
