// Package metaschema validates schemas against the meta-schema of draft 2020-12 with
// santhosh-tekuri/jsonschema. Tests compare the result with schema.Parse, which parses
// every keyword strictly itself.
package metaschema
