package version

import (
	"cmp"
	"runtime/debug"
)

// release is the version of a release; the linker sets it:
// -X gati.dev/gati/pkg/cli/version.release=v0.1.0.
var release string

// Current returns the version of this build: that of the release, else that of
// the module when it was installed as one, else the commit.
func Current() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(release, "unknown")
	}
	return cmp.Or(release, moduleVersion(info), commitOf(info), "development")
}

func moduleVersion(info *debug.BuildInfo) string {
	if info.Main.Version == "(devel)" {
		return ""
	}
	return info.Main.Version
}

func commitOf(info *debug.BuildInfo) string {
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if revision == "" {
		return ""
	}
	return "development-" + revision + dirty
}
