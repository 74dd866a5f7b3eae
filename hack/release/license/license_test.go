package license

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gpl is the notice by which a program is put under the GPL.
const gpl = `This program is free software: you can redistribute it and/or modify
it under the terms of the GNU General Public License as published by
the Free Software Foundation, either version 3 of the License, or
(at your option) any later version.

This program is distributed in the hope that it will be useful,
but WITHOUT ANY WARRANTY; without even the implied warranty of
MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the
GNU General Public License for more details.

You should have received a copy of the GNU General Public License
along with this program.  If not, see <https://www.gnu.org/licenses/>.
`

// TestIncompatibleLicencesAreRefused checks modules by the files in their folder.
func TestIncompatibleLicencesAreRefused(t *testing.T) {
	mit, err := os.ReadFile("../../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		files map[string]string
		err   string
	}{
		"MIT":                 {map[string]string{"LICENSE": string(mit)}, ""},
		"MIT in another file": {map[string]string{"COPYING.txt": string(mit)}, ""},
		"the GPL":             {map[string]string{"LICENSE": gpl}, "GPL-3.0"},
		"the GPL beside MIT":  {map[string]string{"LICENSE": string(mit), "LICENSE.gpl": gpl}, "GPL-3.0"},
		"of documents alone":  {map[string]string{"LICENSE": string(mit), "LICENSE.docs": gpl}, ""},
		"the GPL below":       {map[string]string{"LICENSE": string(mit), "sub/COPYING": gpl}, "GPL-3.0"},
		"terms of their own":  {map[string]string{"LICENSE": "Use it if you like us."}, "LicenseRef-unknown"},
		"more than MIT":       {map[string]string{"LICENSE": string(mit) + strings.Repeat("Each user pays one coin a year to the author. ", 20)}, "LicenseRef-MIT-unknown"},
		"none":                {map[string]string{"README.md": string(mit), "license.go": "package license"}, "has no licence in any file"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			dirs := []string{dir}
			for file, text := range tc.files {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if filepath.Dir(path) != dir {
					dirs = append(dirs, filepath.Dir(path))
				}
			}
			m, err := readModule(location{"example.com/m", "v1.0.0", dir}, dirs)
			if err != nil {
				t.Fatal(err)
			}
			err = checkLicense(m)
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("got %v with %v, want %q", err, m.Licenses, tc.err)
			}
		})
	}
}
