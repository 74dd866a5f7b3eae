package rollout

import v1 "gati.dev/gati/api/v1"

// maxRejected is how many rejections are remembered; the CRD takes no more.
const maxRejected = 16

// rejectUnit remembers that a unit is not tried again until the spec changes. A
// rollback to it is over.
func (m *machine) rejectUnit(ref *v1.UnitRef, why string) {
	if p := m.ro.Pinned; p != nil && p.UnitRef.SameTemplate(ref) {
		m.ro.Pinned = nil
	}
	if m.rejectionForRef(ref) != "" {
		return
	}
	m.ro.Rejected = append(m.ro.Rejected, v1.RejectedStatus{UnitRef: *ref, Reason: why, At: *m.stampNow()})
	m.ro.Rejected = m.ro.Rejected[max(0, len(m.ro.Rejected)-maxRejected):]
}

// rejectionFor says why a unit was rejected; empty when it was not.
func (m *machine) rejectionFor(u *unit) string { return m.rejectionForRef(u.Ref()) }

func (m *machine) rejectionForRef(ref *v1.UnitRef) string {
	for _, r := range m.ro.Rejected {
		if r.UnitRef.SameTemplate(ref) {
			return r.Reason
		}
	}
	return ""
}
