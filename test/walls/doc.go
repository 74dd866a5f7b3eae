// Package walls tests what the code may import, and what the plugin may weigh.
// The rules are those of the design: imports point down only, pure packages stay
// pure, and each binary links only what it needs.
package walls
