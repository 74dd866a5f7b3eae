package kube

import v1 "gati.dev/gati/api/v1"

// VersionStatus returns what a handler's status has of a version, nil where it has nothing.
func VersionStatus(h *v1.GatiHandler, version string) *v1.VersionStatus {
	for i := range h.Status.Versions {
		if h.Status.Versions[i].Version == version {
			return &h.Status.Versions[i]
		}
	}
	return nil
}
