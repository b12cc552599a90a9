package svc

// This file has the texts of the OpenAPI document, as they are served and compared: with what
// Options.Document makes of them.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// CheckDocument fails a test if a file differs from the OpenAPI document that [Service.OpenAPI]
// serves. Use it for the copy that others read or generate clients from, and to see in reviews what a
// change does to the document:
//
//	svc.CheckDocument(t, newService(), "testdata/openapi.json", "3.1", *update)
//
// version is one that the query of a request can have, such as "3.0", "3.1" or "3.2"; "" means
// [Options].OpenAPI. The file has the document with one member or item in a line, indented by two
// spaces. With update, usually a flag of the test, CheckDocument writes the file and its folders.
// Without it, the test fails if the file is missing or its text differs; \r\n at the end of a line
// counts as \n. A relative path begins at the directory of the tested package. The test also fails
// where OpenAPI would panic.
func CheckDocument(t TestingT, s *Service, file, version string, update bool) {
	t.Helper()
	d, ok := dialectOf(cmp.Or(version, s.opts.OpenAPI))
	if !ok {
		t.Fatalf("%s: the version of the document is %q; there are 3.0, 3.1 and 3.2", file, version)
		return
	}
	texts, err := s.openAPITexts()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
		return
	}
	var text bytes.Buffer
	_ = json.Indent(&text, texts[d](), "", "  ") // the text is JSON
	text.WriteByte('\n')
	checkFile(t, file, text.Bytes(), update, "the OpenAPI document of the service has another text now", nil)
}

// openAPITexts returns a function for each dialect that returns the text of its document. Without
// Options.Document, the function makes the text. With it, all texts are made before openAPITexts
// returns, in the order of their versions, so that mistakes of the application are found at once.
func (s *service) openAPITexts() (texts [openAPI30 + 1]func() []byte, err error) {
	for _, d := range [...]dialect{openAPI30, openAPI31, openAPI32} {
		write := func() []byte { return newAPIBuilder(s, d, s.methodsIn(d), false).appendDocument(nil) }
		texts[d] = write
		if s.opts.Document == nil {
			continue
		}
		text, err := reviseDocument(write(), s.opts.Document)
		if err != nil {
			return texts, fmt.Errorf("Options.Document on the document of %s %w", dialectVersions[d], err)
		}
		texts[d] = func() []byte { return text }
	}
	return texts, nil
}

// reviseDocument returns what hook makes of a document. Its members keep their order: readers and
// reviews want the paths in the order of the source, and encoding/json would sort them.
func reviseDocument(text []byte, hook func(map[string]any)) (revised []byte, err error) {
	var doc map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // a float64 has no room for bounds of 64 bits
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panics: %v\n\n%s", p, debug.Stack())
		}
	}()
	hook(doc)
	w := revisedWriter{buf: make([]byte, 0, len(text)+1024)}
	w.write(doc, text)
	return w.buf, w.err
}

// A revisedWriter writes the value that a hook made of a document.
type revisedWriter struct {
	buf  []byte
	path []string  // to the value that is being written
	open []uintptr // the maps and lists that the value is in
	err  error
}

// write appends value. was is the JSON that stood there before, or nil: members that it has keep its
// order, and others follow by name.
func (w *revisedWriter) write(value any, was []byte) {
	if w.err != nil {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		w.enter(reflect.ValueOf(value), func() { w.writeObject(value, was) })
	case []any:
		w.enter(reflect.ValueOf(value), func() { w.writeList(value, was) })
	default:
		text, ok := plainJSON(value)
		if !ok {
			w.fail(fmt.Sprintf("is a %T that JSON does not have", value))
		}
		w.buf = append(w.buf, text...)
	}
}

// enter calls write for a map or a list, unless it contains itself.
func (w *revisedWriter) enter(container reflect.Value, write func()) {
	at := container.Pointer()
	if container.Len() > 0 && slices.Contains(w.open, at) {
		w.fail("contains itself")
		return
	}
	w.open = append(w.open, at)
	write()
	w.open = w.open[:len(w.open)-1]
}

func (w *revisedWriter) writeObject(object map[string]any, was []byte) {
	old, names := make(map[string][]byte), make([]string, 0, len(object))
	for name, value := range eachMember(was) {
		if _, kept := object[string(name)]; kept {
			old[string(name)] = value
			names = append(names, string(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if old[name] == nil {
			names = append(names, name)
		}
	}
	w.buf = append(w.buf, '{')
	for i, name := range names {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = append(appendQuoted(w.buf, name), ':')
		w.writePart(name, object[name], old[name])
	}
	w.buf = append(w.buf, '}')
}

func (w *revisedWriter) writeList(list []any, was []byte) {
	old := itemsOf(was)
	w.buf = append(w.buf, '[')
	for i, item := range list {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		var before []byte
		if i < len(old) {
			before = old[i]
		}
		w.writePart(strconv.Itoa(i), item, before)
	}
	w.buf = append(w.buf, ']')
}

// writePart is write for a member or an item of the value that is being written.
func (w *revisedWriter) writePart(name string, value any, was []byte) {
	w.path = append(w.path, name)
	w.write(value, was)
	w.path = w.path[:len(w.path)-1]
}

// fail notes what is wrong with the value that is being written.
func (w *revisedWriter) fail(reason string) {
	if w.err != nil {
		return
	}
	var place strings.Builder
	for _, name := range w.path {
		place.WriteString(pointerToken(name))
	}
	w.err = fmt.Errorf("leaves a value at %s that %s", clip(place.String(), 200), reason)
}
