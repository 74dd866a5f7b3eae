// Package admit is the one pipeline for every object: decode → convert → resolve →
// validate → expand. The webhook runs it at admission, the controllers before they act,
// and kubectl gati offline, so all three reach the same result.
//
// It must not know of clients or of the caller. Everything beside the object comes in
// as data.
package admit
