package state

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/devcluster/internal/proc"
)

func TestPhases(t *testing.T) {
	all := []Phase{Starting, Ready, Failed, Stopping, Stopped}
	allowed := map[string]bool{
		"starting>ready": true, "starting>failed": true, "starting>stopping": true,
		"ready>stopping": true, "failed>stopping": true,
		"stopping>stopping": true, "stopping>stopped": true, "stopped>stopping": true,
	}
	for _, from := range all {
		for _, to := range all {
			s := State{Phase: from}
			name := string(from) + ">" + string(to)
			err := s.Enter(to)
			if (err == nil) != allowed[name] {
				t.Errorf("%s: error %v", name, err)
			}
			if err != nil && s.Phase != from {
				t.Errorf("%s: refused, but it is %s", name, s.Phase)
			}
		}
	}
}

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	if s, err := Load(dir); s != nil || err != nil {
		t.Fatalf("no file: %v, %v", s, err)
	}
	saved := State{
		Marker:  NewMarker(dir),
		Phase:   Ready,
		Created: time.Now().UTC().Truncate(time.Second),
		Nodes:   "kwok:2",
		Ports:   map[string]int{"etcd": 1},
		Components: []Component{{
			Name: "etcd", Path: "/bin/etcd", Args: []string{"--a"}, Ports: []string{"etcd"},
			Process: proc.ID{PID: 7, Start: "8"},
		}},
	}
	if err := saved.Save(dir); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(dir)
	if err != nil || !reflect.DeepEqual(*loaded, saved) {
		t.Errorf("loaded %+v, %v; saved %+v", loaded, err, saved)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("saving leaves %v", entries)
	}
}

func TestLoadRefuses(t *testing.T) {
	tests := map[string]string{
		"":                            "not a state file",
		`{"some": "other program's"}`: "not a state file",
		`{"marker":"m","format":99}`:  "another release",
	}
	for content, want := range tests {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v lacks %q", content, err, want)
		}
	}
}

func TestMarkers(t *testing.T) {
	one, two, other := NewMarker("/a"), NewMarker("/a"), NewMarker("/b")
	if one == two {
		t.Error("two runs have the same marker")
	}
	if !strings.HasPrefix(one, MarkerPrefix("/a")) || strings.HasPrefix(other, MarkerPrefix("/a")) {
		t.Error("the prefix does not tell directories apart")
	}
}
