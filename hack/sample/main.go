// Command sample makes the image of samples/app without a container engine, from
// the machine's Node.js, and prints the path of the docker-archive: in the cache,
// or the one of -o.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"gati.dev/gati/internal/sampleapp"
)

func main() {
	out := flag.String("o", "", "the docker-archive to write; its place in the cache unless set")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	path, err := run(ctx, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sample:", err)
		os.Exit(1)
	}
	fmt.Println(path)
}

func run(ctx context.Context, out string) (string, error) {
	path, err := sampleapp.Image(ctx, sampleapp.Dir)
	if err != nil || out == "" {
		return path, err
	}
	return out, copyTo(out, path)
}

func copyTo(out, path string) error {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(out)
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, from); err != nil {
		_ = to.Close()
		return err
	}
	return to.Close()
}
