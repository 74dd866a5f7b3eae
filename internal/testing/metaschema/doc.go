// Package metaschema holds schemas to the meta-schema of draft 2020-12, with
// santhosh-tekuri/jsonschema as the judge. schema.Parse reads every keyword strictly by
// itself; tests compare the two.
package metaschema
