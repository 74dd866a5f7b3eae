// Command gati-webhook admits and converts the objects of gati.dev and runs the
// controllers that apply their plans.
package main

import (
	"os"

	"gati.dev/gati/cmd/gati-webhook/app"
)

func main() {
	os.Exit(app.Run(os.Args[1:]))
}
