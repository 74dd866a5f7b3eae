package terminal

import "os"

// Soaks tells whether a test is to run in its long form: make soak NAME=name.
func Soaks(name string) bool { return os.Getenv("GATI_SOAK") == name }
