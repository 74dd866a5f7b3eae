// Package repository writes folders of files to one branch of a Git repository: one commit
// for each change, one push for as many changes as are waiting. A repository is reached by
// https, ssh or as a folder.
//
// A push names the commit that it was built on, and the server compares: after a lost race
// the changes are committed again on the new one. No push is forced, so no commit of
// another writer is lost. A new process needs no state of an earlier one.
//
// It must not know what the files mean, nor where credentials are kept.
package repository
