// Package admit is the one pipeline that every object goes through, for every caller:
// decode → convert → resolve → validate → expand. The webhook runs it at
// admission, the controllers before they act, and kubectl gati offline, so all of
// them say the same of the same object.
//
// It must not know of clients or of who asks. What it depends on besides the
// object comes in as facts.
package admit
