// Package install has the commands "kubectl gati install", "upgrade" and
// "uninstall": they apply the manifests that the plugin was built with, and take
// them away again.
//
// What would be done is a plan, made from the manifests and what the server says
// of them, and shown before anything is. Whether it worked is the doctor's to say.
package install
