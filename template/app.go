package main

// This file serves a page that uses the service, without a build. Begin a front end with it, or
// delete it with the folder app.

import (
	"embed"
	"net/http"
)

//go:embed app
var appFiles embed.FS

// app serves the page, its script and its style. The policy lets them load only each other and the
// client, and call only this server, so that a text that gets into the page as markup has no
// effect.
func app(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-cache")
	http.FileServerFS(appFiles).ServeHTTP(w, r)
}
