// Package metaschema holds schemas to the meta-schema of draft 2020-12, with
// santhosh-tekuri/jsonschema as the judge.
//
// schema.Parse is as strict by itself; the tests hold that. This package is
// gati-webhook's second opinion. It is separate because the library compiles the
// meta-schemas of all drafts at program start, which is too slow for the plugin.
package metaschema
