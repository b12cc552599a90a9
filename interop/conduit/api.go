package main

import (
	"context"
	"strings"
	"time"

	"example.com/svc"
)

// ConduitAPI is RealWorld's Conduit, as its openapi.yml has it: users who write articles, follow
// each other and mark articles as favorites.
type ConduitAPI interface {
	Login(ctx context.Context, in *LoginIn) (*UserBody, error)
	Register(ctx context.Context, in *RegisterIn) (*UserBody, error)
	GetUser(ctx context.Context) (*UserBody, error)
	UpdateUser(ctx context.Context, in *UpdateUserIn) (*UserBody, error)

	GetProfile(ctx context.Context, in *Username) (*ProfileBody, error)
	Follow(ctx context.Context, in *Username) (*ProfileBody, error)
	Unfollow(ctx context.Context, in *Username) (*ProfileBody, error)

	ListArticles(ctx context.Context, in *Filter) (*ArticlesBody, error)
	ListFeed(ctx context.Context, in *Part) (*ArticlesBody, error)
	GetArticle(ctx context.Context, in *Slug) (*ArticleBody, error)
	CreateArticle(ctx context.Context, in *CreateArticleIn) (*ArticleBody, error)
	UpdateArticle(ctx context.Context, in *UpdateArticleIn) (*ArticleBody, error)
	DeleteArticle(ctx context.Context, in *Slug) error
	Favorite(ctx context.Context, in *Slug) (*ArticleBody, error)
	Unfavorite(ctx context.Context, in *Slug) (*ArticleBody, error)

	ListComments(ctx context.Context, in *Slug) (*CommentsBody, error)
	CreateComment(ctx context.Context, in *CreateCommentIn) (*CommentBody, error)
	DeleteComment(ctx context.Context, in *CommentID) error
	ListTags(ctx context.Context) (*TagsBody, error)
}

// Inputs. The specification puts each record into a member of its name.
type (
	Username struct {
		Username string `path:"username"`
	}
	Slug struct {
		Slug string `path:"slug"`
	}
	CommentID struct {
		Slug
		ID int `path:"id"`
	}
	// Part is which part of a list a caller wants.
	Part struct {
		Limit  int `query:"limit" default:"20" minimum:"0" maximum:"100"`
		Offset int `query:"offset" default:"0" minimum:"0"`
	}
	Filter struct {
		Part
		Tag       string `query:"tag,omitempty"`
		Author    string `query:"author,omitempty"`
		Favorited string `query:"favorited,omitempty"`
	}
	LoginIn struct {
		User Login `json:"user"`
	}
	Login struct {
		Email    string `json:"email" minLength:"1"`
		Password string `json:"password" minLength:"1"`
	}
	RegisterIn struct {
		User Registration `json:"user"`
	}
	Registration struct {
		Username string `json:"username" minLength:"1"`
		Login
	}
	UpdateUserIn struct {
		User UserChange `json:"user"`
	}
	UserChange struct {
		Email    svc.Optional[string] `json:"email,omitzero" nullable:"false" minLength:"1"`
		Username svc.Optional[string] `json:"username,omitzero" nullable:"false" minLength:"1"`
		Password svc.Optional[string] `json:"password,omitzero" nullable:"false" minLength:"1"`
		Bio      svc.Optional[string] `json:"bio,omitzero"`
		Image    svc.Optional[string] `json:"image,omitzero"`
	}
	CreateArticleIn struct {
		Article NewArticle `json:"article"`
	}
	NewArticle struct {
		Title       string   `json:"title" minLength:"1"`
		Description string   `json:"description" minLength:"1"`
		Body        string   `json:"body" minLength:"1"`
		Tags        []string `json:"tagList,omitempty"`
	}
	UpdateArticleIn struct {
		Slug
		Article ArticleChange `json:"article"`
	}
	ArticleChange struct {
		Title       *string   `json:"title,omitempty" nullable:"false" minLength:"1"`
		Description *string   `json:"description,omitempty" nullable:"false" minLength:"1"`
		Body        *string   `json:"body,omitempty" nullable:"false" minLength:"1"`
		Tags        *[]string `json:"tagList,omitempty" nullable:"false"`
	}
	CreateCommentIn struct {
		Slug
		Comment NewComment `json:"comment"`
	}
	NewComment struct {
		Body string `json:"body" minLength:"1"`
	}
)

// Outputs.
type (
	UserBody struct {
		User User `json:"user"`
	}
	User struct {
		Email    string  `json:"email"`
		Token    string  `json:"token"`
		Username string  `json:"username"`
		Bio      *string `json:"bio"`
		Image    *string `json:"image"`
	}
	ProfileBody struct {
		Profile Profile `json:"profile"`
	}
	Profile struct {
		Username  string  `json:"username"`
		Bio       *string `json:"bio"`
		Image     *string `json:"image"`
		Following bool    `json:"following"` // by the caller
	}
	ArticleBody struct {
		Article Article `json:"article"`
	}
	Article struct {
		Summary
		Body string `json:"body"`
	}
	ArticlesBody struct {
		Articles []Summary `json:"articles"`
		Count    int       `json:"articlesCount"` // of all parts
	}
	// Summary is an article in a list, which has no body since 2024-08-16.
	Summary struct {
		Slug        string    `json:"slug"`
		Title       string    `json:"title"`
		Description string    `json:"description"`
		Tags        []string  `json:"tagList"`
		CreatedAt   time.Time `json:"createdAt"`
		UpdatedAt   time.Time `json:"updatedAt"`
		Favorited   bool      `json:"favorited"` // by the caller
		Favorites   int       `json:"favoritesCount"`
		Author      Profile   `json:"author"`
	}
	CommentBody struct {
		Comment Comment `json:"comment"`
	}
	CommentsBody struct {
		Comments []Comment `json:"comments"`
	}
	Comment struct {
		ID        int       `json:"id"`
		CreatedAt time.Time `json:"createdAt"`
		UpdatedAt time.Time `json:"updatedAt"`
		Body      string    `json:"body"`
		Author    Profile   `json:"author"`
	}
	TagsBody struct {
		Tags []string `json:"tags"`
	}
)

// Errors is what Conduit sends of an error: what is wrong with which member or record.
type Errors struct {
	Errors map[string][]string `json:"errors"`
}

// form writes errors as Errors. Those of the methods have the record as their reason; what the
// service finds wrong about a caller is about the token.
var form = svc.NewErrorForm(func(e *svc.Error) *Errors {
	list := make(map[string][]string)
	for _, v := range e.Violations() {
		name := v.Path[strings.LastIndex(v.Path, "/")+1:]
		text := v.Message
		if v.Rule == "required" || v.Rule == "minLength" {
			text = "can't be blank"
		}
		list[name] = append(list[name], text)
	}
	switch {
	case len(list) > 0:
	case e.Reason() != "":
		list[e.Reason()] = []string{e.Message}
	case e.Code == svc.CodeUnauthenticated:
		list["token"] = []string{"is missing"}
	default:
		list["request"] = []string{e.Message}
	}
	return &Errors{list}
}, nil).WithStatus(svc.CodeInvalidArgument, 422).WithStatus(svc.CodeAlreadyExists, 422).WithRuleStatus("syntax", 400)

// options are the routes of the specification. A public method also takes a token, to say what its
// owner follows and likes.
func options() *svc.Options {
	public := func(route string) svc.MethodOptions { return svc.MethodOptions{HTTP: route, Public: true} }
	known := func(route string) svc.MethodOptions { return svc.MethodOptions{HTTP: route} }
	ok := func(route string) svc.MethodOptions { return svc.MethodOptions{HTTP: route, Status: 200} }
	return &svc.Options{
		Name: "Conduit", Resource: "conduit", ErrorForm: form,
		Schemes: []svc.Scheme{{Type: "apiKey", Header: "Authorization", Prefix: "Token "}},
		Methods: map[string]svc.MethodOptions{
			"Login":         {HTTP: "POST /users/login", Status: 200, Public: true},
			"Register":      {HTTP: "POST /users", Status: 201, Public: true},
			"GetUser":       known("GET /user"),
			"UpdateUser":    known("PUT /user"),
			"GetProfile":    public("GET /profiles/{username}"),
			"Follow":        ok("POST /profiles/{username}/follow"),
			"Unfollow":      ok("DELETE /profiles/{username}/follow"),
			"ListArticles":  public("GET /articles"),
			"ListFeed":      known("GET /articles/feed"),
			"GetArticle":    public("GET /articles/{slug}"),
			"CreateArticle": {HTTP: "POST /articles", Status: 201},
			"UpdateArticle": known("PUT /articles/{slug}"),
			"DeleteArticle": known("DELETE /articles/{slug}"),
			"Favorite":      ok("POST /articles/{slug}/favorite"),
			"Unfavorite":    ok("DELETE /articles/{slug}/favorite"),
			"ListComments":  public("GET /articles/{slug}/comments"),
			"CreateComment": ok("POST /articles/{slug}/comments"),
			"DeleteComment": known("DELETE /articles/{slug}/comments/{id}"),
			"ListTags":      public("GET /tags"),
		},
	}
}
