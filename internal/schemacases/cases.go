package cases

// Verdict is the effect of a change on the callers of the old version.
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

// Section has the cases of one subject.
type Section struct {
	Title string
	// Note explains the subject.
	Note  string
	Cases []Case
}

// All returns the sections in the order of the page.
func All() []Section {
	return []Section{
		typeCases(), enumCases(), numberCases(), textCases(), formatCases(), requiredCases(), propertyCases(), extraCases(), patternCases(), countCases(), dependentCases(),
		arrayCases(), containsCases(), combinedCases(), negationCases(), conditionalCases(), unevaluatedCases(), referenceCases(), dialectCases(), annotationCases(), gtypeCases(),
	}
}
