// Package clitest runs commands against an API server that serves given objects and
// compares their output with golden files. It implements the part of the API that the
// commands use: get, list and watch with selectors, merge patches, refusals and unknown
// kinds. Integration tests cover the behaviour of a real server.
package clitest
