package version

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/printable"
)

const trialLong = `Runs recorded bodies through the transformers of an application, in Node.js and as a pod
would, and checks the results against the schemas of the versions. It needs no cluster.

FILE has one sample a line: {"direction": "request", "body": {…}} is a request of a
caller of --from, {"direction": "response", "body": {…}} a response of --to, with
"status" unless it is 200. -f names manifests of the handler's versions, oldest first,
with their schemas and transformers.

Run it in the folder of the application, which has the package gati-kubernetes
installed. Ends with exit code 3 where a sample fails.`

// trial are the flags of "test-transformers".
type trial struct {
	differ
	from, to, folder string
}

func newTrial(e *env.Env) *cobra.Command {
	t := &trial{differ: differ{env: e}}
	cmd := &cobra.Command{
		Use:     "test-transformers FILE --from OLD --to NEW -f MANIFESTS",
		Short:   "Run recorded samples through transformers and check the results",
		Long:    trialLong,
		Example: "  kubectl gati version test-transformers samples.jsonl --from v1.0.0 --to v2.0.0 -f versions.yaml",
		Args:    env.Usage(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return t.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().StringVar(&t.from, "from", "", "The version that callers speak.")
	cmd.Flags().StringVar(&t.to, "to", "", "The version that serves them.")
	cmd.Flags().StringVar(&t.folder, "transformers", "", "The folder of the transformers; by default the first that a pod would look in.")
	cmd.Flags().StringSliceVarP(&t.files, "filename", "f", nil, "A manifest with versions of the handler; - is standard input.")
	return cmd
}

func (t *trial) run(ctx context.Context, file string) error {
	if t.from == "" || t.to == "" || t.from == t.to || len(t.files) == 0 {
		return exit.Usagef("--from, --to and -f: name two versions and the manifests that have them")
	}
	known, err := t.readVersions()
	if err != nil {
		return err
	}
	checks, err := newChecks(known, t.from, t.to)
	if err != nil {
		return err
	}
	samples, err := readSamples(file)
	if err != nil {
		return err
	}
	job := trialJob{Versions: known.order, Pairs: known.pairs, From: t.from, To: t.to, Folder: t.folder}
	for _, s := range samples {
		job.Samples = append(job.Samples, s.trialSample)
	}
	results, err := job.runInNode(ctx)
	if err != nil {
		return err
	}
	return t.printResults(file, samples, results, checks)
}

// printResults prints each sample that fails, and how many do.
func (t *trial) printResults(file string, samples []placedSample, results []trialResult, checks checks) error {
	var out bytes.Buffer
	failed := 0
	for i, s := range samples {
		faults := checks.judgeSample(s.trialSample, results[i])
		if len(faults) == 0 {
			continue
		}
		failed++
		fmt.Fprintf(&out, "%s:%d: %s: %s\n", file, s.line, s.Direction, strings.Join(faults, "; "))
		if len(results[i].Body) > 0 {
			fmt.Fprintf(&out, "  result %s\n", shortenWitness(results[i].Body))
		}
	}
	fmt.Fprintf(&out, "%d samples between %s and %s: %d valid, %d failed\n", len(samples), t.from, t.to, len(samples)-failed, failed)
	if _, err := fmt.Fprint(t.env.Streams.Out, printable.Text(out.String())); err != nil {
		return err
	}
	if failed > 0 {
		return exit.Silent(exit.Unhealthy)
	}
	return nil
}

// placedSample is a sample with its line.
type placedSample struct {
	trialSample
	line int
}

// maxSample bounds one line.
const maxSample = 1 << 20

func readSamples(name string) ([]placedSample, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var out []placedSample
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxSample)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		s := placedSample{line: number}
		if err := json.Unmarshal(lines.Bytes(), &s.trialSample); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if s.Direction != "request" && s.Direction != "response" || len(s.Body) == 0 {
			return nil, fmt.Errorf(`%s:%d: a sample is {"direction": "request", "body": {…}}, or "response"`, name, number)
		}
		out = append(out, s)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no sample; record one a line", name)
	}
	return out, nil
}

// trialJob is the input of the npm package.
type trialJob struct {
	Versions []string         `json:"versions"`
	Pairs    []v1.Transformer `json:"pairs"`
	From     string           `json:"from"`
	To       string           `json:"to"`
	Folder   string           `json:"folder,omitempty"`
	Samples  []trialSample    `json:"samples"`
}

type trialSample struct {
	Direction string          `json:"direction"`
	Status    int             `json:"status,omitempty"`
	Body      json.RawMessage `json:"body"`
}

// trialResult is the result of a chain for a sample, or its error.
type trialResult struct {
	Body   json.RawMessage `json:"body,omitempty"`
	Status int             `json:"status,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// program reads a job and writes the results, apart from what transformers print.
const program = `import { readFileSync, writeFileSync } from 'node:fs';
const { runSamples } = await import('gati-kubernetes/samples');
try {
  writeFileSync(3, JSON.stringify(await runSamples(JSON.parse(readFileSync(0, 'utf8')))));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
`

// runInNode runs a job in the folder of the application.
func (j trialJob) runInNode(ctx context.Context) ([]trialResult, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("%w; install Node.js 18.18 or later", err)
	}
	input, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	results, err := os.CreateTemp("", "gati-results-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = errors.Join(results.Close(), os.Remove(results.Name())) }()
	var problems bytes.Buffer
	cmd := exec.CommandContext(ctx, node, "--input-type=module", "--eval", program)
	cmd.Stdin, cmd.Stderr, cmd.ExtraFiles = bytes.NewReader(input), &problems, []*os.File{results}
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run the transformers in Node.js: %w\n%s", err, printable.Text(problems.String()))
	}
	text, err := os.ReadFile(results.Name())
	if err != nil {
		return nil, err
	}
	var out []trialResult
	if err := json.Unmarshal(text, &out); err != nil || len(out) != len(j.Samples) {
		return nil, fmt.Errorf("read the results of Node.js: %d of %d samples: %w", len(out), len(j.Samples), err)
	}
	return out, nil
}
