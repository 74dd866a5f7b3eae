// Package regular reads the patterns of JSON Schema, which are ECMA-262's, and answers
// questions about the sets of strings that they match.
//
// Parse reads a pattern as JavaScript does with the flag u. What Go's regexp package has
// no words for (look-behind, back references) is Beyond, and what only Go knows is an
// error that shows ECMA-262's form. Go translates a pattern for regexp, which matches in
// linear time. A Language is an intersection of patterns, their complements and bounds of
// the length; it is walked by derivatives, state by state, within a budget.
//
// Sources: ECMA-262 §22.2 and annex B.1.2 where it reads a character in one way only;
// Brzozowski, "Derivatives of regular expressions", J. ACM 11 (1964).
//
// The package knows nothing of JSON Schema.
package regular
