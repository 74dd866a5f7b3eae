// Command testapp is what the tests run in pods: a small server that says who it
// is, fetches a URL from where it runs, and burns CPU when asked to.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

func main() {
	var requests atomic.Int64
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		host, _ := os.Hostname()
		fmt.Fprintln(w, host)
	})
	http.HandleFunc("/health", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("/fetch", fetchURL)
	http.HandleFunc("/burn", func(http.ResponseWriter, *http.Request) {
		for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); {
		}
	})
	http.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "testapp_requests_total %d\n", requests.Load())
	})
	fmt.Println("listening")
	if err := http.ListenAndServe(":8080", nil); err != nil {
		panic(err)
	}
}

func fetchURL(w http.ResponseWriter, r *http.Request) {
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Get(r.URL.Query().Get("url"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	_, _ = io.Copy(w, response.Body)
}
