package schema

// meter counts the work of one question. Once it has run out it stays so, and
// nothing that is found afterwards counts.
type meter struct{ remaining int }

// spend counts work, about one unit for each node that looks at a value or each
// atom that is looked at. It reports whether there is any left. A nil meter is
// endless.
func (m *meter) spend(units int) bool {
	if m == nil {
		return true
	}
	m.remaining -= units
	return m.remaining > 0
}

func (m *meter) isExhausted() bool { return m != nil && m.remaining <= 0 }
