// Package adopt translates a workload that already runs into the GatiHandler that leads
// to the same pods: a Deployment, with the autoscaler, disruption budget and route that
// belong to it.
//
// Each translation takes the fields that it carries over out of the object's content.
// What is left is reported, so that no field is dropped silently, not even an unknown one.
//
// The package must not know of clients or files, nor how its result is shown.
package adopt
