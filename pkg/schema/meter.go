package schema

import (
	"context"
	"math/big"
)

// meter counts the work of one question. Once it is exhausted it stays so, and later
// results do not count.
type meter struct {
	remaining int
	// ctx is polled every unitsPerAsk units; nil never ends.
	ctx     context.Context
	unasked int
	// guesses are those of the evaluation under way; nil outside of it.
	guesses *guesses
}

// One unit is about 0.1 µs of work. Cheap work is charged by how much of it a unit
// pays for.
const (
	// scannedPerUnit counts literals and atoms that are only looked at.
	scannedPerUnit = 16
	// writtenPerUnit counts bytes of a text that is built, hashed and kept: 1.5 million units are
	// 24 MB.
	writtenPerUnit = 16
	// bytesPerUnit counts bytes that are copied or hashed, countedPerUnit those whose
	// characters are counted, formattedPerUnit those that a format is tried on.
	bytesPerUnit     = 64
	countedPerUnit   = 512
	formattedPerUnit = 4
	// bitsPerUnit counts binary digits of numbers that are divided.
	bitsPerUnit = 64
	unitsPerAsk = 1 << 12
)

func newMeter(ctx context.Context, units int) *meter { return &meter{remaining: units, ctx: ctx} }

// spend counts work, about one unit for each evaluated node or atom. It reports
// whether any is left. A nil meter is endless.
func (m *meter) spend(units int) bool {
	if m == nil {
		return true
	}
	m.remaining -= units
	if m.unasked += units; m.unasked >= unitsPerAsk {
		m.checkContext()
	}
	return m.remaining > 0
}

// checkContext exhausts the meter when its context has ended.
func (m *meter) checkContext() {
	m.unasked = 0
	if m.ctx != nil && m.ctx.Err() != nil {
		m.remaining = min(m.remaining, 0)
	}
}

func (m *meter) isExhausted() bool { return m != nil && m.remaining <= 0 }

// spendValue counts the comparison or hash of a value. Values share parts, so the
// count ends with the meter.
func (m *meter) spendValue(v any) {
	if m == nil {
		return
	}
	switch x := v.(type) {
	case string:
		if len(x) >= bytesPerUnit {
			m.spend(len(x) / bytesPerUnit)
		}
	case []any:
		for i := range x {
			if !m.spend(1) {
				return
			}
			m.spendValue(x[i])
		}
	case map[string]any:
		for _, part := range x {
			if !m.spend(2) {
				return
			}
			m.spendValue(part)
		}
	}
}

// spendText counts the writing of a value as a text that is hashed and kept.
func (m *meter) spendText(v any) {
	if m == nil {
		return
	}
	bytes := newMeter(m.ctx, max(0, m.remaining)*writtenPerUnit)
	bytes.spendBytes(v)
	m.spend(m.remaining - bytes.remaining/writtenPerUnit)
}

// spendBytes counts a unit for each byte of a value's text, at least.
func (m *meter) spendBytes(v any) {
	switch x := v.(type) {
	case string:
		m.spend(len(x) + len(`""`))
	case []any:
		for i := range x {
			if m.spendBytes(x[i]); !m.spend(len(",")) {
				return
			}
		}
	case map[string]any:
		for name, part := range x {
			if m.spendBytes(part); !m.spend(len(name) + len(`"":,`)) {
				return
			}
		}
	default:
		m.spend(1)
	}
}

// spendNumbers counts a division of numbers.
func (m *meter) spendNumbers(list ...*big.Rat) {
	bits := 0
	for _, r := range list {
		if r != nil {
			bits += r.Num().BitLen() + r.Denom().BitLen()
		}
	}
	m.spend(bits / bitsPerUnit)
}
