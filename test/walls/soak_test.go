package walls

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	soaked    = regexp.MustCompile(`soak\.\w+\((?:t, )?"(\w+)"`)
	tests     = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	soakNames = regexp.MustCompile(`(?m)^soak: .*NAME=(.*)$`)
)

// TestSoaks holds that "make help" lists the tests that have a long form, and that
// "make soak" finds each by its name, and no other.
func TestSoaks(t *testing.T) {
	files, err := allTests()
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	found := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range tests.FindAllStringSubmatch(string(text), -1) {
			found[m[1]]++
		}
		for _, m := range soaked.FindAllStringSubmatch(string(text), -1) {
			asked = append(asked, m[1])
			if test := "func Test" + strings.ToUpper(m[1][:1]) + m[1][1:] + "("; !strings.Contains(string(text), "\n"+test) {
				t.Errorf("%s asks for the long form of %s and has no %s…", file, m[1], test)
			}
		}
	}
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	line := soakNames.FindStringSubmatch(string(makefile))
	if line == nil {
		t.Fatal("the Makefile names no NAME= beside soak")
	}
	listed := strings.Split(strings.ReplaceAll(line[1], " or ", ", "), ", ")
	slices.Sort(asked)
	asked = slices.Compact(asked)
	for _, name := range asked {
		if n := found["Test"+strings.ToUpper(name[:1])+name[1:]]; n != 1 {
			t.Errorf("%d tests have the name of %s, make soak runs one", n, name)
		}
	}
	slices.Sort(listed)
	if !slices.Equal(asked, listed) {
		t.Errorf("make help lists %v, the tests have %v", listed, asked)
	}
}

// allTests returns the files of tests under test/ and pkg/.
func allTests() (files []string, err error) {
	for _, root := range []string{"..", "../../pkg"} {
		err = errors.Join(err, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, "_test.go") {
				files = append(files, path)
			}
			return err
		}))
	}
	return files, err
}
