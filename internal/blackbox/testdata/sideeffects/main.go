// Command sideeffects says what importing svc has done to the program: whether
// anything was published on http.DefaultServeMux. It is a program of its own
// since a test binary imports more than svc.
package main

import (
	"fmt"
	"net/http"
	"os"
	"reflect"

	"example.com/svc"
)

func main() {
	// Using the middleware must publish no more than importing it.
	svc.Pprof("")(http.NotFoundHandler())
	if !reflect.DeepEqual(http.DefaultServeMux, http.NewServeMux()) {
		fmt.Printf("http.DefaultServeMux is not empty: %+v\n", http.DefaultServeMux)
		os.Exit(1)
	}
	fmt.Println("http.DefaultServeMux is empty")
}
