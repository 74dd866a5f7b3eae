package place

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// folderVariable tells the test program, started again, where to take a place and stay.
const folderVariable = "GATI_TEST_PLACE_FOLDER"

func TestMain(m *testing.M) {
	if folder := os.Getenv(folderVariable); folder != "" {
		if _, err := takePlace(folder, 1, os.Stderr); err != nil {
			panic(err)
		}
		_, _ = os.Stdout.WriteString("taken\n")
		select {}
	}
	os.Exit(m.Run())
}

// TestAPlaceIsForOne holds that who finds no place says so and waits until one is free.
func TestAPlaceIsForOne(t *testing.T) {
	folder, said := t.TempDir(), &strings.Builder{}
	release := mustTake(t, folder, 2, io.Discard)
	mustTake(t, folder, 2, io.Discard)
	time.AfterFunc(2*pause, release)
	mustTake(t, folder, 2, said)
	for _, want := range []string{"waiting for a place: 2 control planes", folder, countVariable, "got a place"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q does not say %q", said, want)
		}
	}
}

// TestAKilledProgramGivesItsPlaceBack holds that a SIGKILL frees a place.
func TestAKilledProgramGivesItsPlaceBack(t *testing.T) {
	folder := t.TempDir()
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), folderVariable+"="+folder)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "taken\n" {
		t.Fatal(line, err)
	}
	if file, err := lockAny(folder, 1); file != nil || err != nil {
		t.Fatalf("a second program took the place (%v)", err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	mustTake(t, folder, 1, io.Discard)
}

// TestCountPlaces holds what the variable may be.
func TestCountPlaces(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "12": 12, "0": 0, "-1": 0, "many": 0} {
		t.Setenv(countVariable, text)
		got, err := countPlaces()
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%s=%q: %d, %v", countVariable, text, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), countVariable) {
			t.Errorf("%v does not name the variable", err)
		}
	}
	t.Setenv(countVariable, "")
	if got, err := countPlaces(); got < fewest || err != nil {
		t.Errorf("%d places, %v", got, err)
	}
}

func mustTake(t *testing.T, folder string, count int, log io.Writer) (release func()) {
	t.Helper()
	release, err := takePlace(folder, count, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return release
}
