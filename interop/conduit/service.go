package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/svc"
)

// A conduit keeps everything in memory. One lock is enough for a check.
type conduit struct {
	mu       sync.Mutex
	users    []*user
	articles []*article // the newest last
	now      time.Time  // the time of the last change, so that answers are always the same
	comments int        // how many there were
}

type user struct {
	User
	password string // a real service keeps a hash
	follows  map[*user]bool
}

type article struct {
	Article
	author   *user
	likes    map[*user]bool
	comments []*comment
}

type comment struct {
	Comment
	author *user
}

// handler serves c below /api.
func (c *conduit) handler() http.Handler {
	service := svc.MustRegister[ConduitAPI](c, options()).At("/api")
	guard := svc.APIKey("Authorization", c.verify, &svc.APIKeyOptions{Prefix: "Token ", Optional: true, OnError: form.Write})
	return guard(service.REST())
}

// verify returns the owner of a token.
func (c *conduit) verify(_ context.Context, token string) (*svc.Principal, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range c.users {
		if u.Token == token {
			return &svc.Principal{Subject: token, Claims: u}, nil
		}
	}
	return nil, svc.Errorf(svc.CodeUnauthenticated, "is not valid").WithReason("token")
}

// caller returns the caller, or nil.
func caller(ctx context.Context) *user {
	if p, ok := svc.PrincipalFrom(ctx); ok {
		return p.Claims.(*user)
	}
	return nil
}

// errAbout returns an error about a record.
func errAbout(code svc.Code, record, text string) error {
	return svc.Errorf(code, "%s", text).WithReason(record)
}

// tick returns the time of a change.
func (c *conduit) tick() time.Time {
	c.now = c.now.Add(time.Second)
	return c.now
}

// checkFree returns an error if somebody other than self has the name or the address.
func (c *conduit) checkFree(username, email string, self *user) error {
	for _, u := range c.users {
		switch {
		case u == self:
		case u.Username == username:
			return errAbout(svc.CodeAlreadyExists, "username", "has already been taken")
		case u.Email == email:
			return errAbout(svc.CodeAlreadyExists, "email", "has already been taken")
		}
	}
	return nil
}

func (c *conduit) Login(_ context.Context, in *LoginIn) (*UserBody, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range c.users {
		if u.Email == in.User.Email && u.password == in.User.Password {
			return &UserBody{u.User}, nil
		}
	}
	return nil, errAbout(svc.CodeUnauthenticated, "credentials", "are not valid")
}

func (c *conduit) Register(_ context.Context, in *RegisterIn) (*UserBody, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := in.User
	if err := c.checkFree(r.Username, r.Email, nil); err != nil {
		return nil, err
	}
	token := fmt.Sprintf("token-%d", len(c.users)+1) // a real service signs it
	u := &user{User{Username: r.Username, Email: r.Email, Token: token}, r.Password, make(map[*user]bool)}
	c.users = append(c.users, u)
	return &UserBody{u.User}, nil
}

func (c *conduit) GetUser(ctx context.Context) (*UserBody, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &UserBody{caller(ctx).User}, nil
}

func (c *conduit) UpdateUser(ctx context.Context, in *UpdateUserIn) (*UserBody, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, change := caller(ctx), in.User
	next, password := u.User, u.password
	for _, text := range []struct {
		to   *string
		from svc.Optional[string]
	}{{&next.Email, change.Email}, {&next.Username, change.Username}, {&password, change.Password}} {
		if value, ok := text.from.Get(); ok {
			*text.to = value
		}
	}
	for _, text := range []struct {
		to   **string
		from svc.Optional[string]
	}{{&next.Bio, change.Bio}, {&next.Image, change.Image}} {
		if text.from.IsSet() {
			*text.to = nil
			if value, ok := text.from.Get(); ok {
				*text.to = &value
			}
		}
	}
	if err := c.checkFree(next.Username, next.Email, u); err != nil {
		return nil, err
	}
	u.User, u.password = next, password
	return &UserBody{next}, nil
}

// profile returns u as viewer sees it.
func (u *user) profile(viewer *user) Profile {
	return Profile{u.Username, u.Bio, u.Image, viewer != nil && viewer.follows[u]}
}

func (c *conduit) GetProfile(ctx context.Context, in *Username) (*ProfileBody, error) {
	return c.change(in, caller(ctx), func(*user) {})
}

func (c *conduit) Follow(ctx context.Context, in *Username) (*ProfileBody, error) {
	self := caller(ctx)
	return c.change(in, self, func(u *user) { self.follows[u] = true })
}

func (c *conduit) Unfollow(ctx context.Context, in *Username) (*ProfileBody, error) {
	self := caller(ctx)
	return c.change(in, self, func(u *user) { delete(self.follows, u) })
}

// change calls do with the user of a name, and returns the profile.
func (c *conduit) change(in *Username, viewer *user, do func(*user)) (*ProfileBody, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range c.users {
		if u.Username == in.Username {
			do(u)
			return &ProfileBody{u.profile(viewer)}, nil
		}
	}
	return nil, errAbout(svc.CodeNotFound, "profile", "not found")
}

// seen returns a as viewer sees it.
func (a *article) seen(viewer *user) Article {
	out := a.Article
	out.Author, out.Favorites, out.Favorited = a.author.profile(viewer), len(a.likes), a.likes[viewer]
	return out
}

// list returns the part of the articles that match, the newest first.
func (c *conduit) list(viewer *user, part Part, matches func(*article) bool) (*ArticlesBody, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := &ArticlesBody{Articles: []Summary{}}
	for _, a := range slices.Backward(c.articles) {
		if !matches(a) {
			continue
		}
		if out.Count++; out.Count > part.Offset && len(out.Articles) < part.Limit {
			out.Articles = append(out.Articles, a.seen(viewer).Summary)
		}
	}
	return out, nil
}

func (c *conduit) ListArticles(ctx context.Context, in *Filter) (*ArticlesBody, error) {
	return c.list(caller(ctx), in.Part, func(a *article) bool {
		likedBy := func(name string) bool {
			return slices.ContainsFunc(c.users, func(u *user) bool { return u.Username == name && a.likes[u] })
		}
		return (in.Tag == "" || slices.Contains(a.Tags, in.Tag)) && (in.Author == "" || a.author.Username == in.Author) &&
			(in.Favorited == "" || likedBy(in.Favorited))
	})
}

func (c *conduit) ListFeed(ctx context.Context, in *Part) (*ArticlesBody, error) {
	self := caller(ctx)
	return c.list(self, *in, func(a *article) bool { return self.follows[a.author] })
}

// with calls do with the article of a slug.
func (c *conduit) with(slug string, do func(*article) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.articles {
		if a.Slug == slug {
			return do(a)
		}
	}
	return errAbout(svc.CodeNotFound, "article", "not found")
}

// withOwn is with for an article of the caller.
func (c *conduit) withOwn(ctx context.Context, slug string, do func(*article)) error {
	return c.with(slug, func(a *article) error {
		if a.author != caller(ctx) {
			return errAbout(svc.CodePermissionDenied, "article", "forbidden")
		}
		do(a)
		return nil
	})
}

// after calls do with the article of a slug and returns it.
func (c *conduit) after(ctx context.Context, slug string, do func(*article)) (out *ArticleBody, err error) {
	err = c.with(slug, func(a *article) error {
		do(a)
		out = &ArticleBody{a.seen(caller(ctx))}
		return nil
	})
	return out, err
}

func (c *conduit) GetArticle(ctx context.Context, in *Slug) (*ArticleBody, error) {
	return c.after(ctx, in.Slug, func(*article) {})
}

func (c *conduit) Favorite(ctx context.Context, in *Slug) (*ArticleBody, error) {
	return c.after(ctx, in.Slug, func(a *article) { a.likes[caller(ctx)] = true })
}

func (c *conduit) Unfavorite(ctx context.Context, in *Slug) (*ArticleBody, error) {
	return c.after(ctx, in.Slug, func(a *article) { delete(a.likes, caller(ctx)) })
}

// slugFor returns a slug that no other article has.
func (c *conduit) slugFor(title string, self *article) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	base := strings.Join(words, "-")
	for n, slug := 2, base; ; n++ {
		if !slices.ContainsFunc(c.articles, func(a *article) bool { return a.Slug == slug && a != self }) {
			return slug
		}
		slug = fmt.Sprintf("%s-%d", base, n)
	}
}

func (c *conduit) CreateArticle(ctx context.Context, in *CreateArticleIn) (*ArticleBody, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, tags := c.tick(), append([]string{}, in.Article.Tags...)
	a := &article{author: caller(ctx), likes: make(map[*user]bool)}
	a.Summary = Summary{Slug: c.slugFor(in.Article.Title, a), Title: in.Article.Title, Description: in.Article.Description,
		Tags: tags, CreatedAt: at, UpdatedAt: at}
	a.Body = in.Article.Body
	c.articles = append(c.articles, a)
	return &ArticleBody{a.seen(a.author)}, nil
}

func (c *conduit) UpdateArticle(ctx context.Context, in *UpdateArticleIn) (out *ArticleBody, err error) {
	err = c.withOwn(ctx, in.Slug.Slug, func(a *article) {
		change := in.Article
		if change.Title != nil {
			a.Title, a.Slug = *change.Title, c.slugFor(*change.Title, a)
		}
		if change.Description != nil {
			a.Description = *change.Description
		}
		if change.Body != nil {
			a.Body = *change.Body
		}
		if change.Tags != nil {
			a.Tags = append([]string{}, *change.Tags...)
		}
		a.UpdatedAt = c.tick()
		out = &ArticleBody{a.seen(a.author)}
	})
	return out, err
}

func (c *conduit) DeleteArticle(ctx context.Context, in *Slug) error {
	return c.withOwn(ctx, in.Slug, func(a *article) {
		c.articles = slices.DeleteFunc(c.articles, func(other *article) bool { return other == a })
	})
}

func (c *conduit) ListComments(ctx context.Context, in *Slug) (out *CommentsBody, err error) {
	err = c.with(in.Slug, func(a *article) error {
		out = &CommentsBody{Comments: []Comment{}}
		for _, m := range a.comments {
			m.Author = m.author.profile(caller(ctx))
			out.Comments = append(out.Comments, m.Comment)
		}
		return nil
	})
	return out, err
}

func (c *conduit) CreateComment(ctx context.Context, in *CreateCommentIn) (out *CommentBody, err error) {
	err = c.with(in.Slug.Slug, func(a *article) error {
		c.comments++
		at, self := c.tick(), caller(ctx)
		m := &comment{Comment{c.comments, at, at, in.Comment.Body, self.profile(self)}, self}
		a.comments = append(a.comments, m)
		out = &CommentBody{m.Comment}
		return nil
	})
	return out, err
}

func (c *conduit) DeleteComment(ctx context.Context, in *CommentID) error {
	return c.with(in.Slug.Slug, func(a *article) error {
		i := slices.IndexFunc(a.comments, func(m *comment) bool { return m.ID == in.ID })
		switch {
		case i < 0:
			return errAbout(svc.CodeNotFound, "comment", "not found")
		case a.comments[i].author != caller(ctx):
			return errAbout(svc.CodePermissionDenied, "comment", "forbidden")
		}
		a.comments = slices.Delete(a.comments, i, i+1)
		return nil
	})
}

func (c *conduit) ListTags(context.Context) (*TagsBody, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := &TagsBody{Tags: []string{}}
	for _, a := range c.articles {
		for _, tag := range a.Tags {
			if !slices.Contains(out.Tags, tag) {
				out.Tags = append(out.Tags, tag)
			}
		}
	}
	return out, nil
}
