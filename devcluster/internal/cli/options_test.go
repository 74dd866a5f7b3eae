package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		args  string
		want  options
		nodes string
	}{
		{"up", options{command: "up", dir: ".devcluster"}, "kwok:3"},
		{"up --dir x --nodes kwok:12", options{command: "up", dir: "x", nodesGiven: true}, "kwok:12"},
		{"up --nodes=none", options{command: "up", dir: ".devcluster", nodesGiven: true}, "none"},
		{"up --nodes kwok:3", options{command: "up", dir: ".devcluster", nodesGiven: true}, "kwok:3"},
		{"down --keep-logs", options{command: "down", dir: ".devcluster", keepLogs: true}, "kwok:3"},
		{"down -dir=/a/b", options{command: "down", dir: "/a/b"}, "kwok:3"},
		{"status --dir x", options{command: "status", dir: "x"}, "kwok:3"},
		{"restart etcd", options{command: "restart", dir: ".devcluster", component: "etcd"}, "kwok:3"},
		{"restart --dir x etcd", options{command: "restart", dir: "x", component: "etcd"}, "kwok:3"},
		{"restart etcd --dir x", options{command: "restart", dir: "x", component: "etcd"}, "kwok:3"},
		{"up --nodes real", options{command: "up", dir: ".devcluster", nodesGiven: true}, "real"},
		{"up --nodes real --prometheus --gateway traefik", options{command: "up", dir: ".devcluster", nodesGiven: true}, "real --gateway traefik --prometheus"},
		{"image load x.tar --dir d", options{command: "image", dir: "d", file: "x.tar"}, "kwok:3"},
		{"assets", options{command: "assets"}, "kwok:3"},
		{"up --nodes real --network-policies", options{command: "up", dir: ".devcluster", nodesGiven: true}, "real --network-policies"},
		{"up --nodes real --keda", options{command: "up", dir: ".devcluster", nodesGiven: true}, "real --keda"},
		{"assets --prometheus", options{command: "assets", prometheus: true}, "kwok:3"},
		{"assets --nodes real --prometheus", options{command: "assets", nodesGiven: true}, "real --prometheus"},
		{"help", options{command: "help"}, ""},
		{"--help", options{command: "help"}, ""},
		{"up --help", options{command: "help"}, ""},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			got, err := parseOptions(strings.Fields(test.args))
			if err != nil {
				t.Fatal(err)
			}
			nodes := ""
			if got.nodes != nil {
				nodes = got.nodes.String()
			}
			got.nodes = nil
			if got != test.want || nodes != test.nodes {
				t.Errorf("got %+v with nodes %q, want %+v with %q", got, nodes, test.want, test.nodes)
			}
		})
	}
}

func TestWrongUsage(t *testing.T) {
	tests := []struct{ args, want string }{
		{"", "say what to do"},
		{"upp", `no command "upp"`},
		{"up --nodes real:2", "none, real, or kwok:N"},
		{"up --gateway traefik", "need --nodes real"},
		{"up --nodes kwok:1 --prometheus", "need --nodes real"},
		{"up --nodes real --gateway envoy", `--gateway takes traefik, not "envoy"`},
		{"assets --gateway traefik", "need --nodes real"},
		{"image", "load FILE"},
		{"image load", "load FILE"},
		{"image pull x", "load FILE"},
		{"image load a b", `"b"`},
		{"up --nodes kwok", "kwok:N"},
		{"up --nodes kwok:0", "from 1 to 512"},
		{"up --nodes kwok:x", "from 1 to 512"},
		{"up --nodes kwok:513", "from 1 to 512"},
		{"up --keep-logs", "keep-logs"},
		{"up extra", `"extra"`},
		{"down --nodes kwok:1", "nodes"},
		{"status --dir=", "--dir is empty"},
		{"restart", "which component"},
		{"restart etcd kwok", `"kwok"`},
		{"assets --dir x", "dir"},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := Run(context.Background(), strings.Fields(test.args), &stdout, &stderr); code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			if !strings.Contains(stderr.String(), test.want) {
				t.Errorf("standard error %q lacks %q", stderr.String(), test.want)
			}
			if stdout.Len() > 0 {
				t.Errorf("standard output has %q", stdout.String())
			}
		})
	}
}

func TestWithoutCluster(t *testing.T) {
	dir := t.TempDir() + "/none"
	tests := []struct {
		args string
		code int
		want string
	}{
		{"down", exitOK, "There is no cluster"},
		{"status", exitUnhealthy, "devcluster up starts one"},
		{"restart etcd", exitError, "there is no cluster"},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			var out bytes.Buffer
			args := append(strings.Fields(test.args), "--dir", dir)
			if code := Run(context.Background(), args, &out, &out); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if !strings.Contains(out.String(), test.want) {
				t.Errorf("output %q lacks %q", out.String(), test.want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := Run(context.Background(), []string{"help"}, &stdout, &stderr); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	for _, command := range commands {
		if !strings.Contains(stdout.String(), "devcluster "+command) {
			t.Errorf("help does not tell of %s", command)
		}
	}
}
