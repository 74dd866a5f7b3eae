package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gati.dev/gati/internal/contract"
	"gati.dev/gati/pkg/cli/exit"
)

// codeLine begins what the help says of an exit code; other lines go on with it.
var codeLine = regexp.MustCompile(`^  (\d+) +(.*)$`)

// readExitCodes returns the meaning of each exit code in the help, in its order.
func readExitCodes() (order []int, means map[int]string) {
	means = map[int]string{}
	for _, line := range strings.Split(exit.Help, "\n")[1:] {
		if m := codeLine.FindStringSubmatch(line); m != nil {
			code, _ := strconv.Atoi(m[1])
			order = append(order, code)
			means[code] = m[2]
		} else if len(order) > 0 {
			means[order[len(order)-1]] += " " + strings.TrimSpace(line)
		}
	}
	return order, means
}

// writeExitCodes writes the exit codes of a command, or all if it is nil.
func writeExitCodes(b *strings.Builder, c *contract.Command) {
	order, means := readExitCodes()
	if c != nil {
		order = c.Codes()
	}
	b.WriteString("| code | it means |\n|---|---|\n")
	for _, code := range order {
		text := means[code]
		switch {
		case c == nil:
		case c.Means[code] != "":
			text = c.Means[code]
		case code == exit.OK && len(c.Exits) == 0:
			text = "done"
		}
		fmt.Fprintf(b, "| %d | %s |\n", code, toCell(text))
	}
}
