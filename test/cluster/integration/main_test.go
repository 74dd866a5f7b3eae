package integration

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/kube"
	"gati.dev/gati/test/support/terminal"
)

const (
	// nodes is enough for the pods of every test at once.
	nodes = 8
	// atOnce is how many tests run side by side: half of them wait for a minute.
	atOnce = "14"
)

// What all tests share.
var (
	env     *terminal.Environment
	cluster *local.Cluster
	webhook *local.Webhook
	// admin asks the API server itself; it has no cache.
	admin client.WithWatch
	// began is before gati-webhook was started for the first time.
	began = time.Now()
)

func TestMain(m *testing.M) {
	flag.Parse()
	// The default is one test for each processor.
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: nodes, Mortal: true, Up: setUp, Done: checkAccounts}, &env))
}

func setUp(c *terminal.Environment) error {
	cluster, webhook = c.Cluster, c.Webhook
	var err error
	admin, err = kube.PatientClient(c.Config)
	return err
}

// checkAccounts looks at what Gati's accounts asked for over the whole suite.
func checkAccounts(code int) error {
	err := checkRights()
	if code != 0 || err != nil {
		printErrors(webhook.LogPath())
	}
	return err
}

// printErrors prints the errors that gati-webhook has logged: its log goes with the
// cluster.
func printErrors(path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	const most = 40
	var lines []string
	for _, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, `"level":"error"`) || strings.Contains(line, "panic") {
			lines = append(lines, line)
		}
	}
	fmt.Fprintf(os.Stderr, "the last errors in the log of gati-webhook, of %d:\n%s\n", len(lines), strings.Join(lines[max(0, len(lines)-most):], "\n"))
}
