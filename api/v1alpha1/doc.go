// Package v1alpha1 holds the types of the gati.dev/v1alpha1 API, as Gati's original
// documents define it, and its conversion to v1 and back.
//
// Objects are stored as v1. Conversion works on the untyped JSON of an object, so that
// the user's text ("1000m", an empty list) comes back as written. Fields that v1alpha1
// lacks are carried in one annotation, FieldsAnnotation.
//
// The package holds data only. It must not know of clients, clocks or decisions.
//
// +kubebuilder:object:generate=true
// +groupName=gati.dev
package v1alpha1
