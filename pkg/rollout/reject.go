package rollout

import v1 "gati.dev/gati/api/v1"

// maxRejected is how many rejections are remembered; the CRD takes no more.
const maxRejected = 16

// reject remembers that a unit is not tried again until the spec changes. A
// rollback to it is over.
func (m *machine) reject(ref *v1.UnitRef, why string) {
	if p := m.ro.Pinned; p != nil && sameRef(&p.UnitRef, ref) {
		m.ro.Pinned = nil
	}
	if m.rejectedRef(ref) != "" {
		return
	}
	m.ro.Rejected = append(m.ro.Rejected, v1.RejectedStatus{UnitRef: *ref, Reason: why, At: *m.stamp()})
	m.ro.Rejected = m.ro.Rejected[max(0, len(m.ro.Rejected)-maxRejected):]
}

// rejected says why a unit was rejected; empty when it was not.
func (m *machine) rejected(u *unit) string { return m.rejectedRef(refOf(u)) }

func (m *machine) rejectedRef(ref *v1.UnitRef) string {
	for _, r := range m.ro.Rejected {
		if sameRef(&r.UnitRef, ref) {
			return r.Reason
		}
	}
	return ""
}
