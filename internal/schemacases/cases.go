package cases

// Verdict is what a change does to the callers of the old version.
type Verdict string

// The verdicts.
const (
	Keeps     Verdict = "keeps"
	Breaks    Verdict = "breaks"
	Undecided Verdict = "undecided"
)

// Case is a change of a schema.
type Case struct {
	Name     string
	Old, New string
	// Request and Response are what the change does in schema.input and in
	// schema.output, under BACKWARD.
	Request, Response Verdict
}

// Section is the cases of one subject.
type Section struct {
	Title string
	// Says is what one has to know of the subject.
	Says  string
	Cases []Case
}

// All are the sections in the order of the page.
func All() []Section {
	return []Section{
		types(), enums(), numbers(), texts(), formats(), required(), properties(), extras(), patterned(), counts(), dependents(),
		arrays(), contains(), combined(), negations(), conditionals(), unevaluated(), references(), annotations(), gtypes(),
	}
}
