package svc

// This file is the only bridge from the internals to the external tests.

// Golden is golden: Golden(t, "rest/create.txt", got).
var Golden = golden
