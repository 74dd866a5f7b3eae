// Package clitest runs commands against an API server that serves given objects
// and compares what they print with golden files. It speaks as much of the API
// as the commands use: get, list and watch with selectors, merge patches,
// refusals and unknown kinds. How a real server behaves is the integration tests' affair.
package clitest
