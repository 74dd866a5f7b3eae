// Package repository writes folders of files to one branch of a Git repository: one
// commit for each change, one push for as many changes as are waiting. It reaches it by
// https, ssh or as a folder.
//
// What is pushed rests on the branch as it was read, and the server compares: a push
// that lost a race is made again on the new commit. Nothing is ever forced, so that no
// commit of another writer is lost. No state is kept between two writes that a new
// process would miss.
//
// It must not know what the files mean, nor where credentials are kept.
package repository
