package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// runGo logs in with go-sdk's client and does what a scenario says.
func runGo(ctx context.Context, server, path, scenario string) error {
	name := "go"
	if scenario == "refresh" {
		name = "short"
	}
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: name, RedirectURIs: []string{"http://localhost:1/back"}, GrantTypes: []string{"authorization_code", "refresh_token"}, TokenEndpointAuthMethod: "none",
		}},
		AuthorizationCodeFetcher: agree,
	})
	if err != nil {
		return err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "svc-login", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: server + path, OAuthHandler: handler}, nil)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer session.Close()
	call := func(name, want string) error {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "notes_" + name, Arguments: map[string]any{}})
		if err != nil {
			return fmt.Errorf("call %s: %w", name, err)
		}
		if got := fmt.Sprint(result.StructuredContent); got != "map[by:"+want+"]" {
			return fmt.Errorf("call %s: %s", name, got)
		}
		return nil
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) != 4 {
		return fmt.Errorf("list: %v, %v", tools, err)
	}
	switch scenario {
	case "open":
		return errors.Join(call("status", "nobody"), call("look", "ada"), call("status", "ada"))
	case "refresh":
		return call("look", "ada")
	}
	if err := errors.Join(call("look", "ada"), call("write", "ada"), call("look", "ada")); err != nil {
		return err
	}
	if call("clear", "ada") == nil {
		return errors.New("a call without its scope succeeded")
	}
	return nil
}

// agree stands for the user, who agrees at once.
func agree(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, args.URL, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultTransport.RoundTrip(req) // does not follow the redirect
	if err != nil {
		return nil, err
	}
	res.Body.Close()
	back, err := url.Parse(res.Header.Get("Location"))
	if err != nil || res.StatusCode != http.StatusFound {
		return nil, fmt.Errorf("authorize: %s, %v", res.Status, err)
	}
	q := back.Query()
	return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
}
