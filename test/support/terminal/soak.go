package terminal

import "os"

// Soaks reports whether a test is to run in its long form: make soak NAME=name.
func Soaks(name string) bool { return os.Getenv("GATI_SOAK") == name }
