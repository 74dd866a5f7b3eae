// Package walls tests the shape of the code: the allowed imports, the libraries that
// each program links, the plugin's size and start, and that documents match the code.
// Its tests need no cluster; each failure names the place and the remedy.
package walls
