// Package respell writes specs in other words: the same meaning with other units, defaults
// spelled out or left to the API server, empty lists or none, and keys in another order.
//
// It is for tests alone. What a field is comes from the CRD's schema; what the derived
// defaults are, from the documents.
package respell
