// Command medians reads the figures of several runs of the fleet's bench, and prints the median
// of each comparison with the bare client, and those of every run.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"gati.dev/gati/test/bench/fleet"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "medians:", err)
		os.Exit(1)
	}
}

func run(files []string) error {
	if len(files) == 0 {
		return fmt.Errorf("want the .json files of make bench-fleet OUT=…")
	}
	var runs [][]fleet.Comparison
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var figures struct {
			Phases []fleet.Figures `json:"phases"`
		}
		if err := json.Unmarshal(raw, &figures); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		runs = append(runs, fleet.Compare(figures.Phases))
		fmt.Println(file)
		fleet.BudgetMarkdown(os.Stdout, runs[len(runs)-1])
	}
	fmt.Printf("medians of %d\n", len(runs))
	fleet.BudgetMarkdown(os.Stdout, fleet.Medians(runs))
	return nil
}
