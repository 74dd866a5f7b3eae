// Package metaschema holds schemas to the meta-schema of draft 2020-12, with
// santhosh-tekuri/jsonschema as the judge.
//
// schema.Parse reads every keyword strictly by itself, so the two agree; the
// tests hold that. This package is the second opinion of gati-webhook. It stands
// apart because the library compiles the meta-schemas of all drafts when a
// program starts, which takes longer than the plugin may take.
package metaschema
