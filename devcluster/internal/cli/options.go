package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"gati.dev/gati/devcluster/internal/assets"
	"gati.dev/gati/devcluster/internal/nodes"
)

// options are the command line, read.
type options struct {
	command string
	dir     string
	// nodes is given by --nodes, or the default.
	nodes      nodes.Provider
	nodesGiven bool
	// prometheus asks assets for Prometheus too, where the nodes need none.
	prometheus bool
	// oldest asks for the oldest supported Kubernetes.
	oldest    bool
	keepLogs  bool
	component string
	// file is the archive of image load.
	file string
}

const (
	defaultDir   = ".devcluster"
	defaultNodes = "kwok:3"
)

// commands are those that there are besides help.
var commands = []string{"up", "down", "status", "restart", "image", "assets"}

// parseOptions reads a command line. Asking for help, in any way, is a command.
func parseOptions(args []string) (options, error) {
	if len(args) == 0 {
		return options{}, usageError{errors.New("say what to do: up, down, status, restart, image or assets")}
	}
	name, args := args[0], args[1:]
	if slices.Contains([]string{"help", "-h", "-help", "--help"}, name) {
		return options{command: "help"}, nil
	}
	if !slices.Contains(commands, name) {
		return options{}, usageError{fmt.Errorf("there is no command %q", name)}
	}
	o, err := parseFlags(name, args)
	if errors.Is(err, flag.ErrHelp) {
		return options{command: "help"}, nil
	}
	if err != nil {
		return options{}, usageError{err}
	}
	return o, nil
}

// parseFlags reads what follows a command. Only the flags that mean something
// to the command are taken.
func parseFlags(name string, args []string) (options, error) {
	o := options{command: name}
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	if name != "assets" {
		set.StringVar(&o.dir, "dir", defaultDir, "")
	}
	nodesValue, extras := defaultNodes, nodes.Extras{}
	switch name {
	case "up", "assets":
		set.StringVar(&nodesValue, "nodes", defaultNodes, "")
		set.StringVar(&extras.Gateway, "gateway", "", "")
		set.BoolVar(&extras.Prometheus, "prometheus", false, "")
		set.BoolVar(&extras.NetworkPolicies, "network-policies", false, "")
		set.BoolVar(&extras.KEDA, "keda", false, "")
		set.BoolVar(&o.oldest, "oldest", false, "")
	case "down":
		set.BoolVar(&o.keepLogs, "keep-logs", false, "")
	}
	if err := set.Parse(args); err != nil {
		return o, err
	}
	set.Visit(func(f *flag.Flag) { o.nodesGiven = o.nodesGiven || f.Name == "nodes" })
	if err := o.takeArgs(set); err != nil {
		return o, err
	}
	if name == "assets" && nodesValue != "real" {
		// What pods show needs a real node; the program does not.
		o.prometheus, extras.Prometheus = extras.Prometheus, false
	}
	var err error
	o.nodes, err = nodes.New(nodesValue, extras)
	return o, err
}

// executableSets are the executables that are needed besides those of the control plane.
func (o options) executableSets() []string {
	sets := o.nodes.Assets()
	if o.prometheus {
		sets = append(sets, assets.Prometheus)
	}
	if o.oldest {
		sets = append(sets, assets.Oldest)
	}
	return sets
}

// takeArgs reads what is left behind the flags: what the command is about, with
// more flags behind it if the user likes that order, and else nothing.
func (o *options) takeArgs(set *flag.FlagSet) error {
	switch o.command {
	case "restart":
		if set.NArg() == 0 {
			return errors.New("restart which component? devcluster status lists them")
		}
		o.component = set.Arg(0)
		if err := set.Parse(set.Args()[1:]); err != nil {
			return err
		}
	case "image":
		if set.NArg() < 2 || set.Arg(0) != "load" {
			return errors.New("image takes: load FILE")
		}
		o.file = set.Arg(1)
		if err := set.Parse(set.Args()[2:]); err != nil {
			return err
		}
	}
	if set.NArg() > 0 {
		return fmt.Errorf("%s does not take %q", o.command, set.Arg(0))
	}
	if o.command != "assets" && o.dir == "" {
		return errors.New("--dir is empty")
	}
	return nil
}
