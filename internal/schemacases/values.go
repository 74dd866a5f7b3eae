package cases

func typeCases() Section {
	return Section{"Types", "A request may be accepted in more types than before, a response may come in fewer. An integer is a number.", []Case{
		{"nothing changes", `{"type":"string"}`, `{"type":"string"}`, Keeps, Keeps},
		{"another type", `{"type":"string"}`, `{"type":"integer"}`, Breaks, Breaks},
		{"integer becomes number", `{"type":"integer"}`, `{"type":"number"}`, Keeps, Breaks},
		{"number becomes integer", `{"type":"number"}`, `{"type":"integer"}`, Breaks, Keeps},
		{"a type more", `{"type":"string"}`, `{"type":["string","integer"]}`, Keeps, Breaks},
		{"a type fewer", `{"type":["string","integer"]}`, `{"type":"string"}`, Breaks, Keeps},
		{"becomes nullable", `{"type":"string"}`, `{"type":["string","null"]}`, Keeps, Breaks},
		{"stops being nullable", `{"type":["string","null"]}`, `{"type":"string"}`, Breaks, Keeps},
		{"nullable as OpenAPI writes it", `{"type":"string","nullable":true}`, `{"type":["null","string"]}`, Keeps, Keeps},
		{"nullable as a union", `{"type":["string","null"]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, Keeps, Keeps},
		{"the type is left out", `{"type":"string"}`, `{}`, Keeps, Breaks},
		{"the type is named", `{}`, `{"type":"string"}`, Breaks, Keeps},
		{"the order of types", `{"type":["string","null"]}`, `{"type":["null","string"]}`, Keeps, Keeps},
		{"all types, named", `{}`, `{"type":["string","number","boolean","object","array","null"]}`, Keeps, Keeps},
		{"nothing is accepted any more", `{"type":"string"}`, `false`, Breaks, Keeps},
	}}
}

func enumCases() Section {
	return Section{"enum and const", "Values are compared as JSON compares them: 1 is 1.0.", []Case{
		{"a value fewer", `{"enum":["a","b","c"]}`, `{"enum":["a","b"]}`, Breaks, Keeps},
		{"a value more", `{"enum":["a","b"]}`, `{"enum":["a","b","c"]}`, Keeps, Breaks},
		{"other values", `{"enum":["a"]}`, `{"enum":["b"]}`, Breaks, Breaks},
		{"the order of values", `{"enum":["a","b"]}`, `{"enum":["b","a"]}`, Keeps, Keeps},
		{"a text becomes an enum", `{"type":"string"}`, `{"enum":["a"]}`, Breaks, Keeps},
		{"an enum becomes a text", `{"enum":["a"]}`, `{"type":"string"}`, Keeps, Breaks},
		{"an enum whose values a bound holds", `{"enum":[1,2,3]}`, `{"type":"integer","minimum":1,"maximum":3}`, Keeps, Keeps},
		{"an enum with a value beyond a bound", `{"enum":[1,2,3]}`, `{"type":"integer","minimum":2}`, Breaks, Breaks},
		{"const becomes an enum with it", `{"const":1}`, `{"enum":[1,2]}`, Keeps, Breaks},
		{"another const", `{"const":"v1"}`, `{"const":"v2"}`, Breaks, Breaks},
		{"const is added", `{"type":"string"}`, `{"type":"string","const":"a"}`, Breaks, Keeps},
		{"const and an enum of one", `{"const":1}`, `{"enum":[1.0]}`, Keeps, Keeps},
		{"true and false are all of boolean", `{"type":"boolean"}`, `{"enum":[true,false]}`, Keeps, Keeps},
		{"values of which the type admits none", `{"enum":[1,"a"]}`, `{"enum":[1,"a"],"type":"string"}`, Breaks, Keeps},
		{"an object as a value", `{"const":{"a":1}}`, `{"type":"object","required":["a"]}`, Keeps, Breaks},
	}}
}

func numberCases() Section {
	return Section{"Numbers", "Arithmetic is exact. What a number is rounded to in the runtime plays no part.", []Case{
		{"a higher minimum", `{"type":"integer","minimum":0}`, `{"type":"integer","minimum":1}`, Breaks, Keeps},
		{"a lower minimum", `{"type":"integer","minimum":1}`, `{"type":"integer","minimum":0}`, Keeps, Breaks},
		{"a minimum is set", `{"type":"number"}`, `{"type":"number","minimum":0}`, Breaks, Keeps},
		{"a lower maximum", `{"type":"number","maximum":10}`, `{"type":"number","maximum":9.5}`, Breaks, Keeps},
		{"a maximum is dropped", `{"type":"number","maximum":10}`, `{"type":"number"}`, Keeps, Breaks},
		{"the bound itself is left out", `{"type":"number","minimum":0}`, `{"type":"number","exclusiveMinimum":0}`, Breaks, Keeps},
		{"two ways to say a bound of integers", `{"type":"integer","minimum":1}`, `{"type":"integer","exclusiveMinimum":0}`, Keeps, Keeps},
		{"the same bounds, of numbers", `{"type":"number","minimum":1}`, `{"type":"number","exclusiveMinimum":0}`, Keeps, Breaks},
		{"multipleOf is set", `{"type":"number"}`, `{"type":"number","multipleOf":0.01}`, Breaks, Keeps},
		{"a coarser multipleOf", `{"type":"integer","multipleOf":2}`, `{"type":"integer","multipleOf":4}`, Breaks, Keeps},
		{"another multipleOf", `{"type":"integer","multipleOf":2}`, `{"type":"integer","multipleOf":3}`, Breaks, Breaks},
		{"multipleOf 1 is integer", `{"type":"number","multipleOf":1}`, `{"type":"integer"}`, Keeps, Keeps},
		{"multiples of 6 between 2 and 3", `{"type":"integer","multipleOf":6}`, `{"allOf":[{"type":"integer","multipleOf":2},{"multipleOf":3}]}`, Keeps, Keeps},
		{"a bound on texts says nothing", `{"type":"string"}`, `{"type":"string","minimum":5}`, Keeps, Keeps},
		{"bounds of which nothing is left", `{"type":"integer","minimum":0}`, `{"type":"integer","minimum":5,"maximum":4}`, Breaks, Keeps},
		{"few integers, as an enum", `{"type":"integer","minimum":1,"maximum":3}`, `{"enum":[1,2,3]}`, Keeps, Keeps},
		{"a large number", `{"type":"integer","maximum":9007199254740993}`, `{"type":"integer","maximum":9007199254740992}`, Breaks, Keeps},
	}}
}

func textCases() Section {
	return Section{"Texts", "Lengths count characters, not bytes. Patterns are ECMA-262's with the flag u, as JavaScript reads them, look-ahead included; the syntax of other languages is refused. What a pattern with look-behind or back references matches is unknown: the apply warns, and what depends on it is undecided. Patterns, lengths and excluded values are compared as sets of texts: the answer is proven, or has a text that tells them apart. Patterns of thousands of states may leave it undecided, which breaks.", []Case{
		{"a higher minLength", `{"type":"string","minLength":1}`, `{"type":"string","minLength":2}`, Breaks, Keeps},
		{"minLength is set", `{"type":"string"}`, `{"type":"string","minLength":1}`, Breaks, Keeps},
		{"a lower maxLength", `{"type":"string","maxLength":64}`, `{"type":"string","maxLength":32}`, Breaks, Keeps},
		{"maxLength is dropped", `{"type":"string","maxLength":64}`, `{"type":"string"}`, Keeps, Breaks},
		{"a pattern is added", `{"type":"string"}`, `{"type":"string","pattern":"^[a-z]+$"}`, Breaks, Keeps},
		{"a pattern is dropped", `{"type":"string","pattern":"^[a-z]+$"}`, `{"type":"string"}`, Keeps, Breaks},
		{"another pattern", `{"type":"string","pattern":"^a"}`, `{"type":"string","pattern":"^b"}`, Breaks, Breaks},
		{"a pattern with look-behind is added", `{"type":"string"}`, `{"type":"string","pattern":"(?<=a)b"}`, Undecided, Keeps},
		{"a pattern with look-behind stays", `{"type":"string","pattern":"(?<=a)b"}`, `{"type":"string","pattern":"(?<=a)b"}`, Keeps, Keeps},
		{"a wider pattern", `{"type":"string","pattern":"^[a-z]+$"}`, `{"type":"string","pattern":"^[a-z0-9]+$"}`, Keeps, Breaks},
		{"a pattern that implies the length", `{"type":"string","pattern":"^\\d{5}$"}`, `{"type":"string","minLength":5,"maxLength":5}`, Keeps, Breaks},
		{"a pattern with look-ahead", `{"type":"string","pattern":"^(?!-)[a-z-]+$"}`, `{"type":"string","pattern":"^[a-z-]+$"}`, Keeps, Breaks},
		{"patterns of too many states", `{"type":"string","pattern":"^[ab]*a[ab]{14}$"}`, `{"type":"string","pattern":"^(a|b)*a(a|b){14}$"}`, Undecided, Undecided},
		{"a pattern of a few texts", `{"type":"string","pattern":"^(on|off)$"}`, `{"enum":["on","off","auto"]}`, Keeps, Breaks},
		{"an enum that passes the pattern", `{"enum":["on","off"]}`, `{"type":"string","pattern":"^o"}`, Keeps, Breaks},
		{"a length that the pattern implies", `{"type":"string","pattern":"^[a-z]+$"}`, `{"type":"string","pattern":"^[a-z]+$","minLength":1}`, Keeps, Keeps},
		{"the pattern that matches everything", `{"type":"string"}`, `{"type":"string","pattern":""}`, Keeps, Keeps},
		{"a length of which nothing is left", `{"type":"string"}`, `{"type":"string","minLength":3,"maxLength":2}`, Breaks, Keeps},
		{"only the empty text", `{"type":"string","maxLength":0}`, `{"const":""}`, Keeps, Keeps},
	}}
}

func formatCases() Section {
	return Section{"format", "Draft 2020-12 lets a validator assert formats or not. A format that is added breaks, because some do. Unknown formats are equal or undecided.", []Case{
		{"a format is added", `{"type":"string"}`, `{"type":"string","format":"email"}`, Breaks, Keeps},
		{"a format is dropped", `{"type":"string","format":"email"}`, `{"type":"string"}`, Keeps, Breaks},
		{"another format", `{"type":"string","format":"date"}`, `{"type":"string","format":"date-time"}`, Breaks, Breaks},
		{"a wider format", `{"type":"string","format":"uri"}`, `{"type":"string","format":"uri-reference"}`, Keeps, Breaks},
		{"a format of integers says nothing", `{"type":"integer"}`, `{"type":"integer","format":"date"}`, Keeps, Keeps},
		{"an unknown format is added", `{"type":"integer"}`, `{"type":"integer","format":"int32"}`, Undecided, Keeps},
		{"an unknown format stays", `{"type":"integer","format":"int32"}`, `{"type":"integer","format":"int32"}`, Keeps, Keeps},
		{"another unknown format", `{"type":"integer","format":"int32"}`, `{"type":"integer","format":"int64"}`, Undecided, Undecided},
		{"an enum that has the format", `{"enum":["2024-02-29"]}`, `{"type":"string","format":"date"}`, Keeps, Breaks},
		{"an enum that has not", `{"enum":["today"]}`, `{"type":"string","format":"date"}`, Breaks, Breaks},
	}}
}
