package svc

// This file describes in words what can be wrong with an input, without saying where: the
// complaints.

import "encoding/json"

// A complaint is a Violation without its place. Plans are compiled with their
// complaints, which many inputs and many places share. Their variables are named
// like errors: errRequired, errNotInteger.
type complaint struct {
	rule, message string
	limit         json.Number // Violation.Limit
	empty         bool        // Violation.Empty
	wanted        *wantedType // of a wrong type; nil if the type that came is not told
}

// A wantedType is the part of a complaint about a value of a wrong type that depends on the value.
// All complaints are made once, since a client can send many such values:
//
//	wanted     sent          complaint
//	an array   {}            given: must be an array, is an object
//	an array   "[1]"         inString: must be an array, is a string with JSON in it; send the array itself
//	an array   "x"           given: must be an array, is a string
type wantedType struct {
	given    [len(jsonTypes)]complaint // "must be an object, is a number", in the order of jsonTypes
	isWanted func(value []byte) bool   // whether JSON without white space around it has the type; nil for a string
	inString complaint                 // about a string that contains such JSON
}

// jsonTypes are the types of JSON.
var jsonTypes = [...]string{"an object", "an array", "a string", "a number", "a boolean", "null"}

// jsonTypeOf returns the index in jsonTypes of the type of a JSON value, by its first byte.
func jsonTypeOf(first byte) int {
	switch first {
	case '{':
		return 0
	case '[':
		return 1
	case '"':
		return 2
	case 't', 'f':
		return 4
	case 'n':
		return 5
	}
	return 3
}

// wrongType returns the complaint about values of a type that message does not name. noun is what
// to send instead of a string with such a value in it: models and forms often send
// {"at":"{\"x\":1}"} for {"at":{"x":1}}. Both are empty if a string is wanted.
func wrongType(message, noun string, isWanted func(value []byte) bool) *complaint {
	w := &wantedType{isWanted: isWanted}
	for i, noun := range jsonTypes {
		w.given[i] = complaint{rule: ruleType, message: message + ", is " + noun}
	}
	w.inString = complaint{rule: ruleType, message: message + ", is a string with JSON in it; send the " + noun + " itself"}
	return &complaint{rule: ruleType, message: message, wanted: w}
}

// about returns the complaint about value, which is JSON. Only complaints of wrongType depend on
// the value.
func (c *complaint) about(value []byte) *complaint {
	if c.wanted == nil || len(value) == 0 {
		return c
	}
	if c.wanted.isWanted != nil && isText(value) {
		inside := trimJSON(textOf(value))
		if c.wanted.isWanted(inside) && isJSON(inside) { // isJSON reads all of it
			return &c.wanted.inString
		}
	}
	return &c.wanted.given[jsonTypeOf(value[0])]
}

// inBody returns the violation of c at a place in the body.
func (c *complaint) inBody(path string) Violation {
	return Violation{In: inBody, Path: path, Rule: c.rule, Message: c.message, Limit: c.limit, Empty: c.empty}
}

// The complaints that do not depend on a plan. Nothing writes them. Those of rules are made by
// parseRule of type_rules.go, and those about messages of JSON-RPC are in jsonrpc.go.
var (
	// Members.
	errRequired   = &complaint{rule: ruleRequired, message: "is required"}
	errUnknown    = &complaint{rule: ruleUnknown, message: "is not a known property"}
	errNull       = &complaint{rule: ruleType, message: "must not be null; leave it out"}
	errSameMapKey = &complaint{rule: ruleDuplicate, message: "is the same key as another name"}

	// Values of JSON, and texts of scalars.
	errNotArray      = wrongType("must be an array", "array", isJSONArray)
	errNotObject     = wrongType("must be an object", "object", isJSONObject)
	errNotString     = wrongType("must be a string", "", nil)
	errNotBool       = wrongType("must be true or false", "boolean", isJSONBool)
	errNotInteger    = wrongType("must be an integer", "integer", isPlainInteger)
	errFraction      = &complaint{rule: ruleType, message: "must be an integer, is a number with a fraction"}
	errNotNumber     = wrongType("must be a number", "number", isJSONNumber)
	errNotTime       = wrongType("must be a date and time by RFC 3339, such as 2026-01-02T15:04:05Z", "", nil)
	errNotHeaderTime = wrongType("must be an HTTP-date, such as Sun, 06 Nov 1994 08:49:37 GMT, or a date and time by RFC 3339", "", nil)
	errNotDuration   = wrongType("must be a duration, such as 1h30m or 1.5s", "", nil)
	errNotBase64     = &complaint{rule: ruleType, message: "must be base64 with padding and on one line; in place of - and _ write + and /"}
	errWrongForm     = &complaint{rule: ruleType, message: "is not in the form that is expected here"}

	// Inputs, and the parameters of a request.
	errEmptyBody    = &complaint{rule: ruleRequired, message: "a JSON body is required"}
	errManyDefaults = &complaint{rule: ruleRequired,
		message: "is left out so often that the defaults of the whole input are longer than its text, and than 1 MiB; send it"}
	errRepeated     = &complaint{rule: ruleDuplicate, message: "is given more than once"}
	errUnknownParam = &complaint{rule: ruleUnknown, message: "is not a known parameter"}
	errNotUTF8      = &complaint{rule: ruleType, message: "must be valid UTF-8"}
	errPlusInTime   = &complaint{rule: ruleType, message: errNotTime.message + "; in a query + is a blank, so write %2B for it"}
	errNotTag       = &complaint{rule: ruleSyntax, message: `must be * or entity tags, each in its quotation marks, such as "1"`}
	errStrayPercent = &complaint{rule: ruleSyntax, message: "has a % that two hexadecimal digits do not follow"}
	errSemicolon    = &complaint{rule: ruleSyntax, message: "has a semicolon; write %3B for the character, and & between parameters"}
	errNotKey       = &complaint{rule: "pattern",
		message: "must be a string of 1 to 255 visible ASCII characters; in a header it may have quotes (RFC 8941)"}

	// Parts of forms.
	errBehindFile = &complaint{rule: ruleOrder, message: "is required, and must come before the file, which is the last part of the form"}
	errOtherFile  = &complaint{rule: ruleOrder, message: "must not come behind the file, which is the last part of the form"}
	errFileInText = &complaint{rule: ruleType, message: "must be a text, is a file"}
	errNotBinary  = &complaint{rule: ruleType,
		message: "must have no Content-Transfer-Encoding, which forms do not have any more (RFC 7578, section 4.7)"}
	errPartCharset = &complaint{rule: ruleType, message: "must be in UTF-8"}

	errNotTail = &complaint{rule: ruleSyntax, message: `must be segments with a slash between two, none of them empty, "." or ".."`}

	// Values of a client, which a request cannot carry.
	errNotSegment = &complaint{rule: ruleSyntax, message: `must not be empty, ".", ".." or "/", which the path of a URL cannot carry`}
	errNullParam  = &complaint{rule: ruleType, message: "must not be null, which a query or a form cannot carry"}
	errNotHeader  = &complaint{rule: ruleSyntax,
		message: "must be visible ASCII characters, with spaces only between them, since a header carries nothing else"}
	// RFC 9110, section 5.6.7
	errNotDate   = &complaint{rule: ruleType, message: "must be a date of HTTP, such as Sun, 06 Nov 1994 08:49:37 GMT"}
	errNotCookie = &complaint{rule: ruleSyntax,
		message: "must be visible ASCII characters, without semicolons, quotes around them and spaces around them, since a cookie carries " +
			"nothing else"}

	// Go values. If a value contains itself, no place is the first that is too deep, so
	// errInputTooDeep has the place of the whole input.
	errInputTooDeep = &complaint{rule: ruleSyntax, message: "is nested more than 1000 levels deep, or contains itself"}
	errNilValue     = &complaint{rule: ruleType, message: "the value is a nil pointer"}
	errUnwritable   = &complaint{rule: ruleType, message: "cannot be written as JSON"}
)
