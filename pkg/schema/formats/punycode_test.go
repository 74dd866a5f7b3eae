package formats

import (
	"math/rand"
	"testing"
)

// TestPunycodeGoesBothWays holds that a code stands for the text that it was made of.
func TestPunycodeGoesBothWays(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 20_000 {
		text := []rune{'é'}
		for range r.Intn(20) {
			text = append(text, []rune{rune('a' + r.Intn(26)), rune(0xa0 + r.Intn(0x500)), rune(0x4e00 + r.Intn(0x5000)), rune(0x10000 + r.Intn(0x10000))}[r.Intn(4)])
		}
		code, ok := encodePunycode(text)
		if again, is := decodePunycode(code); !ok || !is || string(again) != string(text) {
			t.Fatalf("%q is %q, which is %q", string(text), code, string(again))
		}
	}
	// RFC 3492, section 7.1.
	for text, code := range map[string]string{
		"他们为什么不说中文": "ihqwcrb4cv8a8dqg056pqjye", "Pročprostěnemluvíčesky": "Proprostnemluvesky-uyb24dma41a", "3年B組金八先生": "3B-ww4c5e180e575a65lsy2b",
	} {
		if got, _ := encodePunycode([]rune(text)); got != code {
			t.Errorf("%s is %s, want %s", text, got, code)
		}
	}
}
