package naming_test

import (
	"fmt"
	"math/rand"
	"testing"

	"gati.dev/gati/pkg/naming"
)

func TestVersionOfImage(t *testing.T) {
	cases := map[string]struct {
		image string
		want  string
		ok    bool
	}{
		"semantic tag":       {"my-app:v1.0.0", "v1.0.0", true},
		"bare number":        {"my-app:20", "20", true},
		"registry with port": {"registry:5000/app:v2.1", "v2.1", true},
		"port but no tag":    {"registry:5000/app", "", false},
		"no tag":             {"my-app", "", false},
		"word":               {"my-app:latest", "latest", false},
		"digest beside tag":  {"my-app:v3@sha256:abc", "v3", true},
		"pre-release":        {"my-app:1.2.3-rc.1", "1.2.3-rc.1", true},
		"leading zero":       {"my-app:v01", "v01", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := naming.VersionFromImage(tc.image)
			if ok != tc.ok || (ok && got != tc.want) {
				t.Errorf("VersionOfImage(%q) = %q, %v; want %q, %v", tc.image, got, ok, tc.want, tc.ok)
			}
		})
	}
}

func TestSlug(t *testing.T) {
	cases := map[string]struct {
		version  string
		revision int64
		want     string
	}{
		"semantic":               {"v1.0.0", 1, "v1-0-0"},
		"second revision":        {"v1.0.0", 2, "v1-0-0-r2"},
		"ordinal":                {"v1", 1, "v1"},
		"short pre-release":      {"v1.2.3-rc1", 1, "v1-2-3-rc1"},
		"Timescape id":           {"tsv:1732186200-users-001", 1, "tsv-bcdidr"},
		"dotted pre-release":     {"v1.0.0-rc.1", 1, "v1-0-fwcj7"},
		"looks like a revision":  {"v1.0.0-r2", 1, "v1-0-2s32e"},
		"hyphen where a dot was": {"v1-0-0", 1, "v1-0-764bx"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := naming.Slug(tc.version, tc.revision); got != tc.want {
				t.Errorf("Slug(%q, %d) = %q, want %q", tc.version, tc.revision, got, tc.want)
			}
		})
	}
}

// Two versions, or two revisions, never share a slug, and every slug fits.
func TestSlugsAreUniqueAndShort(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	seen := map[string]string{}
	for range 50_000 {
		version, revision := randomVersion(random), 1+random.Int63n(12)
		slug := naming.Slug(version, revision)
		key := fmt.Sprintf("%s r%d", version, revision)
		if len(slug) > naming.MaxSlug || slug[0] < 'a' && slug[0] < '0' || slug[len(slug)-1] == '-' {
			t.Fatalf("Slug(%s) = %q does not fit", key, slug)
		}
		if other, ok := seen[slug]; ok && other != key {
			t.Fatalf("%s and %s share the slug %q", other, key, slug)
		}
		seen[slug] = key
	}
}

func randomVersion(r *rand.Rand) string {
	v := []string{"", "v"}[r.Intn(2)] + fmt.Sprint(r.Intn(30))
	for range r.Intn(3) {
		v += fmt.Sprintf(".%d", r.Intn(300))
	}
	switch r.Intn(6) {
	case 0:
		v += fmt.Sprintf("-rc.%d", r.Intn(20))
	case 1:
		v += fmt.Sprintf("-r%d", r.Intn(20))
	case 2:
		v += fmt.Sprintf("-%d-%d", r.Intn(20), r.Intn(20))
	case 3:
		v = fmt.Sprintf("tsv:17%08d-Users_%d-%03d", r.Intn(1e8), r.Intn(9), r.Intn(1000))
	}
	return v
}
