package status

import v1 "gati.dev/gati/api/v1"

// held speaks when the declared version serves by its header alone, because it
// breaks the callers of what serves. Somebody has to cover them, or to allow it.
func (s *standing) held() bool {
	v := s.declared()
	if s.ro.Phase != v1.RolloutStable || v == nil || v.Held == "" || !s.pending() {
		return false
	}
	s.say("%s gets no weighted traffic: %s", v.Version, oneLine(v.Held))
	s.next("see all of it: kubectl gati version diff %s %s %s -n %s; then record transformers both ways, or let it take traffic all the same: docs/requests.md",
		s.handler.Name, s.ro.Stable.Version, v.Version, s.handler.Namespace)
	s.view.Waits = true
	return true
}

// declared returns what the controller says of the version that the spec names.
func (s *standing) declared() *v1.VersionStatus {
	for i := range s.handler.Status.Versions {
		if v := &s.handler.Status.Versions[i]; v.Version == s.handler.Status.Version {
			return v
		}
	}
	return nil
}
