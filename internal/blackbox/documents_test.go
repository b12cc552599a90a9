package blackbox_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
)

// defaultsAPI has members with a default: of a type that is only answered, and of one that
// clients send too.
type defaultsAPI interface {
	Save(ctx context.Context, in *defaultsIn) (*defaultsOut, error)
}

type defaultsIn struct {
	Both defaultsBoth `json:"both"`
}

type defaultsBoth struct {
	Size int `json:"size" default:"1"`
}

type defaultsOut struct {
	Level int           `json:"level" default:"3"`
	Loose int           `json:"loose,omitempty" default:"3"`
	Inner defaultsInner `json:"inner"`
	Both  defaultsBoth  `json:"both"`
}

type defaultsInner struct {
	Name string `json:"name" default:"x"`
}

type defaultsImpl struct{}

func (defaultsImpl) Save(context.Context, *defaultsIn) (*defaultsOut, error) {
	return new(defaultsOut), nil
}

// schemaAt returns the value at a path of names in a JSON text.
func schemaAt(t *testing.T, text string, path ...string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for _, name := range path {
		if list, ok := v.([]any); ok {
			v = list[0]
			continue
		}
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// Verify that a member with a default is required where it is only answered, since it is
// always sent there, and not where clients may leave it out.
func TestDefaultsOfOutputs(t *testing.T) {
	s := svc.MustRegister[defaultsAPI](defaultsImpl{}, nil)
	texts := map[string]string{"rpc": postJSON(s.RPC(), "/rpc", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`).Body.String()}
	for _, version := range []string{"3.0", "3.1", "3.2"} {
		w := httptest.NewRecorder()
		s.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/?openapi="+version, nil))
		texts[version] = w.Body.String()
	}
	descriptor, err := json.Marshal(s.Descriptor().Resources[0].Methods[0].Output.Schema)
	if err != nil {
		t.Fatal(err)
	}
	texts["descriptor"] = string(descriptor)
	texts["mcp"] = postJSON(s.MCP(nil), "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Body.String()
	component := func(name string) []string { return []string{"components", "schemas", name} }
	tool := []string{"result", "tools", "0", "outputSchema"}
	for _, test := range []struct {
		text string
		path []string
		want string
	}{
		{"3.0", component("defaultsOut"), "level inner both"},
		{"3.1", component("defaultsOut"), "level inner both"},
		{"3.2", component("defaultsOut"), "level inner both"},
		{"3.1", component("defaultsInner"), "name"},
		{"3.1", component("defaultsBoth"), ""},
		{"rpc", append([]string{"result"}, component("defaultsOut")...), "level inner both"},
		{"rpc", append([]string{"result"}, component("defaultsBoth")...), ""},
		{"descriptor", nil, "level inner both"},
		{"descriptor", []string{"properties", "both"}, ""},
		{"mcp", tool, "level inner both"},
		{"mcp", append(slices.Clone(tool), "properties", "both"), "size"}, // the schema is of the output alone
	} {
		t.Run(test.text+" "+strings.Join(test.path, " "), func(t *testing.T) {
			schema, ok := schemaAt(t, texts[test.text], test.path...).(map[string]any)
			if !ok {
				t.Fatalf("there is no such schema in %s", texts[test.text])
			}
			var got []string
			list, _ := schema["required"].([]any)
			for _, name := range list {
				got = append(got, name.(string))
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("required are %q, want %q", got, test.want)
			}
		})
	}
}
