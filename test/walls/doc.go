// Package walls tests the shape of the code: what may import what, what each program
// links, the plugin's size and start, and that documents follow the code they describe.
// Its tests need no cluster; each failure names the place and the remedy.
package walls
