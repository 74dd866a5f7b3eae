package app

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"gati.dev/gati/pkg/controller/turn"
)

// Values of max-rollouts-apply-to.
const (
	turnsForNamespaceImage = "namespace-image"
	turnsForAll            = "all"
)

var turnSubjects = []string{turnsForNamespaceImage, turnsForAll}

// turnConfig bounds the rollouts under way at once.
type turnConfig struct {
	PerNamespace, PerCluster int
	ApplyTo                  string
}

func (c *turnConfig) addFlags(f *pflag.FlagSet) {
	f.IntVar(&c.PerNamespace, "max-rollouts-per-namespace", 0, "how many handlers of a namespace may have a rollout under way before another one begins; 0 is no limit")
	f.IntVar(&c.PerCluster, "max-rollouts-per-cluster", 0, "how many handlers of the cluster may have a rollout under way before another one begins; 0 is no limit")
	f.StringVar(&c.ApplyTo, "max-rollouts-apply-to", turnsForNamespaceImage, "which rollouts wait for these limits: "+strings.Join(turnSubjects, ", ")+"; namespace-image is those that the image of the namespace alone leads to")
}

func (c *turnConfig) validate() error {
	return errors.Join(
		requireThat(c.PerNamespace >= 0, "max-rollouts-per-namespace %d is negative; 0 is no limit", c.PerNamespace),
		requireThat(c.PerCluster >= 0, "max-rollouts-per-cluster %d is negative; 0 is no limit", c.PerCluster),
		requireOneOf("max-rollouts-apply-to", c.ApplyTo, turnSubjects),
	)
}

// newBoard returns the board of one term; nil where nothing is bounded.
func (c *turnConfig) newBoard() *turn.Board {
	return turn.New(turn.Limits{Namespace: c.PerNamespace, Cluster: c.PerCluster, All: c.ApplyTo == turnsForAll})
}
