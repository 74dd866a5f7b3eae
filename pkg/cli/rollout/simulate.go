package rollout

import (
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/rollout/simulate"
	model "gati.dev/gati/pkg/status"
)

const simulateLong = `Plays the Canary of a manifest many times without a cluster: with a new version that
fails a share of its requests, and with one that fails none. The code that decides is
the controller's; pods are ready at once, the gateway takes every weight at once, the
stable version fails no request, and requests come at random at the given rate.

It prints how many of the faulty versions are found and rolled back, at which step, after
which time and how many failed requests, and when a healthy version is promoted. The same
seed gives the same figures.`

// maxRuns bounds --runs: a thousand take some ten seconds.
const maxRuns = 10_000

type simulation struct {
	*offline
	fault string
	runs  int
	seed  uint64
}

func newSimulate(e *env.Env) *cobra.Command {
	o := &simulation{}
	cmd := &cobra.Command{
		Use:   "simulate -f FILE [NAME]",
		Short: "Play a rollout offline: would it find a fault?",
		Long:  simulateLong,
		Example: `  # Would a fault of 2 % be found at 5 requests a second?
  kubectl gati rollout simulate -f users.yaml --rate 5 --fault 2%

  # One handler of several, with more rollouts
  kubectl gati rollout simulate -f manifests users --rate 0.5 --fault 10% --runs 1000`,
		RunE: func(_ *cobra.Command, names []string) error { return o.run(names) },
	}
	o.offline = newOffline(e, cmd, "Requests a second to all versions together.")
	cmd.Flags().StringVar(&o.fault, "fault", "", "The share of requests to the new version that fail, such as 2%.")
	cmd.Flags().IntVar(&o.runs, "runs", 200, "How many rollouts of each version are played.")
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "Selects the random requests.")
	return cmd
}

func (o *simulation) run(names []string) error {
	if err := o.checkRate(); err != nil {
		return err
	}
	fault, err := parseShare("--fault", o.fault)
	switch {
	case err != nil:
		return err
	case fault == 0:
		return exit.Usagef("--fault must be above 0%%; a version without a fault is played beside it")
	case o.runs < 1 || o.runs > maxRuns:
		return exit.Usagef("--runs must be from 1 to %d", maxRuns)
	}
	if _, err := o.format.Printer(); err != nil {
		return err
	}
	c, err := o.readCanary(names)
	if err != nil {
		return err
	}
	s := simulate.Scenario{Policy: c.policy, PerSecond: o.rate}
	faulty := s
	faulty.Fault = fault
	out := simulationDocument{
		APIVersion: model.APIVersion, Kind: "Simulation", Handler: c.name,
		RequestsPerSecond: o.rate, Fault: formatShare(fault), Runs: o.runs, Seed: o.seed, Notes: c.notes,
		Faulty: simulate.Summarize(&c.policy, o.play(faulty)), Healthy: simulate.Summarize(&c.policy, o.play(s)),
	}
	if printed, err := printDocument(o.env, o.format, &out); printed || err != nil {
		return err
	}
	return o.printSimulation(&c, &out)
}

// play plays all rollouts of a scenario, each with requests of its own.
func (o *simulation) play(s simulate.Scenario) []simulate.Run {
	out := make([]simulate.Run, o.runs)
	workers := runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for first := range workers {
		group.Go(func() {
			for i := first; i < o.runs; i += workers {
				random := rand.New(rand.NewPCG(o.seed, uint64(i)))
				out[i] = simulate.NewPlayer(s, simulate.Drawn(random)).Play()
			}
		})
	}
	group.Wait()
	return out
}

// simulationDocument is the JSON form of a simulation: kind Simulation, cli.gati.dev/v1.
type simulationDocument struct {
	APIVersion        string   `json:"apiVersion"`
	Kind              string   `json:"kind"`
	Handler           string   `json:"handler"`
	RequestsPerSecond float64  `json:"requestsPerSecond"`
	Fault             string   `json:"fault"`
	Runs              int      `json:"runs"`
	Seed              uint64   `json:"seed"`
	Notes             []string `json:"notes,omitempty"`
	// Faulty are the rollouts with the fault, Healthy those without one.
	Faulty  simulate.Summary `json:"faulty"`
	Healthy simulate.Summary `json:"healthy"`
}
