// Package v1alpha1 holds the types of the gati.dev/v1alpha1 API as the first
// documents of Gati show them, and its conversion to v1 and back.
//
// Objects are stored as v1. Conversion works on the untyped JSON of an object,
// so that what a user wrote ("1000m", an empty list) comes back as written. What
// v1alpha1 has no field for travels in one annotation, see FieldsAnnotation.
//
// The package must not know of any client, clock or decision: only of data.
//
// +kubebuilder:object:generate=true
// +groupName=gati.dev
package v1alpha1
