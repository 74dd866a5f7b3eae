package schema

// meter counts the work of one question. Once it is exhausted it stays so, and later
// results do not count.
type meter struct{ remaining int }

// spend counts work, about one unit for each evaluated node or atom. It reports
// whether any is left. A nil meter is endless.
func (m *meter) spend(units int) bool {
	if m == nil {
		return true
	}
	m.remaining -= units
	return m.remaining > 0
}

func (m *meter) isExhausted() bool { return m != nil && m.remaining <= 0 }
