package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	_ "example.com/svc" // what is written imports it
)

var (
	serverFields = regexp.MustCompile(`(?s)type Server struct \{\n(.*?)\n\}`)
	stubType     = regexp.MustCompile(`type (Unimplemented\w+) struct`)
)

// register compiles the packages of dist into one program and runs it, and returns what it says of
// each.
func register(documents []document) map[string]string {
	must(os.MkdirAll("dist/register", 0o777))
	var imports, table strings.Builder
	for _, d := range documents {
		fmt.Fprintf(&imports, "\t%q\n", "example.com/svc/interop/transcribe/published/dist/"+d.name)
		fmt.Fprintf(&table, "\t{%q, %q, func() *svc.Service { return %s.Service(%s) }},\n", d.name, d.path, d.name, stubs(d.name))
	}
	source, err := os.ReadFile("requests.go.txt")
	must(err)
	main := strings.NewReplacer("//imports\n", imports.String(), "//documents\n", table.String()).Replace(string(source))
	must(os.WriteFile("dist/register/main.go", []byte(main), 0o666))
	run := exec.Command("go", "run", "./dist/register")
	run.Stderr = os.Stderr
	out, err := run.Output()
	if err != nil {
		log.Fatalf("FAILED: what was written does not compile or register: %v\n%s", err, out)
	}
	var lines map[string]string
	must(json.Unmarshal(out, &lines))
	return lines
}

// stubs returns the expression for an implementation by the stubs of a package.
func stubs(name string) string {
	service, err := os.ReadFile(filepath.Join("dist", name, "service.go"))
	must(err)
	m := serverFields.FindSubmatch(service)
	if m == nil {
		source, err := os.ReadFile(filepath.Join("dist", name, "unimplemented.go"))
		must(err)
		return name + "." + string(stubType.FindSubmatch(source)[1]) + "{}"
	}
	var fields []string
	for line := range strings.Lines(string(m[1])) {
		f := strings.Fields(line)[0]
		fields = append(fields, fmt.Sprintf("%s: %s.Unimplemented%s{}", f, name, f))
	}
	return name + ".Server{" + strings.Join(fields, ", ") + "}"
}
