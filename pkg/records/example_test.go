package records_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/records"
)

// A record without a version is bound to the version that its handler declares.
func ExampleBind() {
	record := &v1.GatiVersion{ObjectMeta: metav1.ObjectMeta{Name: "users-stable"}}
	handlers := []records.Handler{{Name: "users", Declared: "v2", Versions: []string{"v1", "v2"}}}
	binding, problem := records.Bind(record, handlers)
	fmt.Printf("%+v %q\n", binding, problem)
	// Output: {Handler:users Version:v2} ""
}

// A user's record replaces the automatic one.
func ExampleElect() {
	automatic := builders.MakeVersion("users-v1").Label(v1.LabelAutomatic, "true").Obj()
	users := builders.MakeVersion("users-first").Obj()
	election := records.Elect([]*v1.GatiVersion{automatic, users})
	fmt.Println(election.Winner.Name, election.Yielding[0].Name)
	// Output: users-first users-v1
}
