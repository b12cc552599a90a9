// Command transcribe reads an OpenAPI document (3.0, 3.1 or 3.2, as JSON) and writes, once, what a
// user of svc would have written by hand: interfaces, types, options and stubs. REPORT.md lists
// each place that svc cannot say. doc/from-openapi.md has more.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// options are the flags.
type options struct {
	pkg   string
	svc   string
	group string
	ids   bool
	rest  bool
	json  bool
}

// run is main, with what it uses of the process.
func run(args []string, stdout, stderr io.Writer) int {
	var opts options
	flags := flag.NewFlagSet("transcribe", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&opts.pkg, "package", "", "the `name` of the package (default: the name of the folder)")
	flags.StringVar(&opts.svc, "svc", "example.com/svc", "the import `path` of svc")
	flags.StringVar(&opts.group, "group", "", "one interface for each `tag`, path or none (default: tag if the document has several)")
	flags.BoolVar(&opts.ids, "ids", true, "keep each operationId, from which generators name functions")
	flags.BoolVar(&opts.rest, "rest", false, "serve the methods over REST only")
	flags.BoolVar(&opts.json, "json", false, "print the report as JSON")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: transcribe [flags] openapi.json folder")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() != 2 || opts.group != "" && !slices.Contains([]string{"tag", "path", "none"}, opts.group) {
		flags.Usage()
		return 2
	}
	if err := transcribe(flags.Arg(0), flags.Arg(1), opts, stdout); err != nil {
		fmt.Fprintln(stderr, "transcribe:", err)
		return 1
	}
	return 0
}

// transcribe reads a document, writes the folder and prints how much is whole.
func transcribe(name, dir string, opts options, stdout io.Writer) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if opts.pkg == "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		opts.pkg = packageName(filepath.Base(abs))
	} else if !token.IsIdentifier(opts.pkg) || opts.pkg == "main" || opts.pkg == "_" {
		return fmt.Errorf("%q cannot be the name of a package that programs import", opts.pkg)
	}
	out, err := convert(filepath.Base(name), data, opts)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := writeNew(dir, out.files); err != nil {
		return err
	}
	if opts.json {
		enc := json.NewEncoder(stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(out.summary)
	}
	s := out.summary
	_, err = fmt.Fprintf(stdout, "%d of %d operations, as methods of %d interfaces, with %d types in %d lines. %d are whole; REPORT.md has the rest.\n",
		s.Written, s.Operations, s.Interfaces, s.Types, s.Lines, s.Whole)
	return err
}

// packageName makes the name of a package of the name of a folder.
func packageName(folder string) string {
	name := notPackage.ReplaceAllString(strings.ToLower(folder), "")
	if name == "" || isDigit(name[0]) || name == "main" || token.IsKeyword(name) {
		return "api" + name
	}
	return name
}

var notPackage = regexp.MustCompile(`[^a-z0-9]`)

// An outFile is a file of the folder.
type outFile struct {
	name string
	data []byte
}

type output struct {
	files   []outFile
	summary summary
}

// writeNew writes files that do not exist. It writes nothing if one exists.
func writeNew(dir string, files []outFile) error {
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s exists: choose a new folder", path)
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range files {
		if err := writeFile(filepath.Join(dir, f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path string, data []byte) error {
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	if closed := w.Close(); err == nil {
		err = closed
	}
	return err
}
