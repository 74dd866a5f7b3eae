package license

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
)

// rule is the line between two texts.
var rule = strings.Repeat("=", 80)

// Notices returns the texts of all licences and notices, each once, below the modules
// that come with it.
func (i Inventory) Notices() []byte {
	var order [][sha256.Size]byte
	texts, owners := map[[sha256.Size]byte][]byte{}, map[[sha256.Size]byte][]string{}
	for _, m := range i.sortedModules() {
		for _, f := range m.Files {
			sum := sha256.Sum256(f.Text)
			if texts[sum] == nil {
				order, texts[sum] = append(order, sum), f.Text
			}
			owners[sum] = append(owners[sum], fmt.Sprintf("%s %s (%s), %s", m.Path, m.Version, m.Expression(), f.Name))
		}
	}
	var out bytes.Buffer
	out.WriteString("Gati is distributed with the Go modules named here, under the licences below their names.\n")
	for _, sum := range order {
		fmt.Fprintf(&out, "\n%s\n%s\n%s\n\n%s\n", rule, strings.Join(owners[sum], "\n"), rule, bytes.TrimSpace(texts[sum]))
	}
	return out.Bytes()
}
