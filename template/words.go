package main

// This file says in German what is wrong with an input, to callers who prefer German. Put your own
// languages here, or delete it with the line Words of todo.go.

import (
	"context"
	"strings"

	"example.com/svc"
)

// words is for svc.Options. It returns "" for other languages and for rules that it does not know:
// then callers get the message of svc.
func words(ctx context.Context, v svc.Violation) string {
	info, _ := svc.InfoFrom(ctx)
	if info.Request == nil { // over standard input
		return ""
	}
	first, _, _ := strings.Cut(info.Request.Header.Get("Accept-Language"), ",")
	if language, _, _ := strings.Cut(strings.ToLower(first), "-"); language != "de" {
		return ""
	}
	switch {
	case v.Rule == "required", v.Empty:
		return "muss ausgefüllt sein"
	case v.Rule == "maxLength":
		return "darf höchstens " + v.Limit.String() + " Zeichen haben"
	case v.Rule == "type":
		return "hat den falschen Typ"
	}
	return ""
}
