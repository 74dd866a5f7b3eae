// Command greeter is a Gati module that is WebAssembly: it answers each request with what
// it finds around it. What listens for it is the socket that its runtime opened.
//
// It is built with GOOS=wasip1 GOARCH=wasm. It speaks HTTP by hand, because net/http would
// be most of what the runtime has to compile at each start.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"runtime"
)

// socket is the file descriptor of the socket that listens.
const socket = 3

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	listener, err := net.FileListener(os.NewFile(socket, "socket"))
	if err != nil {
		return err
	}
	fmt.Println("serving as", runtime.GOOS+"/"+runtime.GOARCH)
	// One request after the other: all goroutines share a thread, which Accept blocks.
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		answer(connection)
	}
}

// answer answers one request, whose body it does not need.
func answer(connection net.Conn) {
	defer connection.Close()
	in := bufio.NewScanner(connection)
	for in.Scan() && in.Text() != "" {
	}
	body, _ := json.Marshal(map[string]string{
		"by": os.Getenv("INSTANCE_ID"), "runs": runtime.GOOS + "/" + runtime.GOARCH, "runtime": os.Getenv("WASM_RUNTIME"), "files": fileOutcome(),
	})
	fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(body), body)
}

// fileOutcome returns the error of reading a file that the container has, or "read".
func fileOutcome() string {
	if _, err := os.ReadFile("/app.wasm"); err != nil {
		return err.Error()
	}
	return "read"
}
