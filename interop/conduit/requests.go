package main

// A request is one of a client, and what it is to get.
type request struct {
	name, verb, path string
	token            string // sent behind Token; "" for none
	body             string
	status           int
	want             string // JSON; "" for no body
}

// What the answers have in common: the users, and the errors.
const (
	jake       = `{"user":{"email":"jake@jake.jake","token":"token-1","username":"jake","bio":null,"image":null}}`
	jakeWrites = `{"user":{"email":"jake@jake.jake","token":"token-1","username":"jake","bio":"I write","image":"https://example.com/jake.png"}}`
	byJake     = `"author":{"username":"jake","bio":"I write","image":"https://example.com/jake.png","following":false}`
	byFollowed = `"author":{"username":"jake","bio":"I write","image":"https://example.com/jake.png","following":true}`
	byAnah     = `"author":{"username":"anah","bio":null,"image":null,"following":false}`
	missing    = `{"errors":{"token":["is missing"]}}`
	noArticle  = `{"errors":{"article":["not found"]}}`
	forbidden  = `{"errors":{"article":["forbidden"]}}`
	noUser     = `{"errors":{"profile":["not found"]}}`

	dragon  = `"slug":"how-to-train-your-dragon","title":"How to train your dragon","description":"Ever wonder how?","tagList":["dragons","training"],"createdAt":"2026-01-01T00:00:01Z","updatedAt":"2026-01-01T00:00:01Z",`
	dragon2 = `"slug":"how-to-train-your-dragon-2","title":"How to train your dragon!","description":"So toothless","tagList":["dragons"],"createdAt":"2026-01-01T00:00:02Z","updatedAt":"2026-01-01T00:00:02Z",`
	cat     = `"slug":"a-cat","title":"A cat","description":"d","tagList":[],"createdAt":"2026-01-01T00:00:03Z","updatedAt":"2026-01-01T00:00:03Z",`
	plain   = `"favorited":false,"favoritesCount":0,`
	liked   = `"favorited":true,"favoritesCount":1,`
	like1   = `"favorited":false,"favoritesCount":1,`
	body    = `,"body":"It takes a Jacobian"`
)

// requests are sent in this order.
var requests = []request{
	// Users
	{"register", "POST", "/users", "", `{"user":{"username":"jake","email":"jake@jake.jake","password":"jakejake"}}`, 201, jake},
	{"register with a member that nobody knows", "POST", "/users", "", `{"user":{"username":"anah","email":"anah@jake.jake","password":"p","age":7}}`, 201, `{"user":{"email":"anah@jake.jake","token":"token-2","username":"anah","bio":null,"image":null}}`},
	{"a name that is taken", "POST", "/users", "", `{"user":{"username":"jake","email":"j@jake.jake","password":"p"}}`, 422, `{"errors":{"username":["has already been taken"]}}`},
	{"an address that is taken", "POST", "/users", "", `{"user":{"username":"j","email":"jake@jake.jake","password":"p"}}`, 422, `{"errors":{"email":["has already been taken"]}}`},
	{"register with blanks", "POST", "/users", "", `{"user":{"username":"","email":""}}`, 422, `{"errors":{"username":["can't be blank"],"email":["can't be blank"],"password":["can't be blank"]}}`},
	{"register without a user", "POST", "/users", "", `{}`, 422, `{"errors":{"user":["can't be blank"]}}`},
	{"register with a number", "POST", "/users", "", `{"user":{"username":7,"email":"a","password":"p"}}`, 422, `{"errors":{"username":["must be a string, is a number"]}}`},
	{"text that is not JSON", "POST", "/users", "", `{"user":`, 400, ""},
	{"log in", "POST", "/users/login", "", `{"user":{"email":"jake@jake.jake","password":"jakejake"}}`, 200, jake},
	{"a wrong password", "POST", "/users/login", "", `{"user":{"email":"jake@jake.jake","password":"no"}}`, 401, `{"errors":{"credentials":["are not valid"]}}`},
	{"log in without a password", "POST", "/users/login", "", `{"user":{"email":"jake@jake.jake"}}`, 422, `{"errors":{"password":["can't be blank"]}}`},
	{"log in with an old token", "POST", "/users/login", "token-9", `{"user":{"email":"jake@jake.jake","password":"jakejake"}}`, 401, `{"errors":{"token":["is not valid"]}}`},
	{"the current user", "GET", "/user", "token-1", "", 200, jake},
	{"nobody", "GET", "/user", "", "", 401, missing},
	{"a token that nobody has", "GET", "/user", "token-9", "", 401, `{"errors":{"token":["is not valid"]}}`},
	{"update a user", "PUT", "/user", "token-1", `{"user":{"bio":"I write","image":"https://example.com/jake.png"}}`, 200, jakeWrites},
	{"update nothing", "PUT", "/user", "token-1", `{"user":{}}`, 200, jakeWrites},
	{"an address of somebody else", "PUT", "/user", "token-1", `{"user":{"email":"anah@jake.jake"}}`, 422, `{"errors":{"email":["has already been taken"]}}`},
	{"a blank name", "PUT", "/user", "token-1", `{"user":{"username":""}}`, 422, `{"errors":{"username":["can't be blank"]}}`},
	{"a name that is null", "PUT", "/user", "token-1", `{"user":{"username":null}}`, 422, `{"errors":{"username":["must not be null; leave it out"]}}`},
	{"a new bio", "PUT", "/user", "token-2", `{"user":{"bio":"b"}}`, 200, `{"user":{"email":"anah@jake.jake","token":"token-2","username":"anah","bio":"b","image":null}}`},
	{"a bio removed", "PUT", "/user", "token-2", `{"user":{"bio":null}}`, 200, `{"user":{"email":"anah@jake.jake","token":"token-2","username":"anah","bio":null,"image":null}}`},
	{"a new password", "PUT", "/user", "token-2", `{"user":{"password":"q"}}`, 200, `{"user":{"email":"anah@jake.jake","token":"token-2","username":"anah","bio":null,"image":null}}`},
	{"log in by the new password", "POST", "/users/login", "", `{"user":{"email":"anah@jake.jake","password":"q"}}`, 200, `{"user":{"email":"anah@jake.jake","token":"token-2","username":"anah","bio":null,"image":null}}`},
	{"update nobody", "PUT", "/user", "", `{"user":{}}`, 401, missing},

	// Articles
	{"no articles", "GET", "/articles", "", "", 200, `{"articles":[],"articlesCount":0}`},
	{"no tags", "GET", "/tags", "", "", 200, `{"tags":[]}`},
	{"write an article", "POST", "/articles", "token-1", `{"article":{"title":"How to train your dragon","description":"Ever wonder how?","body":"It takes a Jacobian","tagList":["dragons","training"]}}`, 201, `{"article":{` + dragon + plain + byJake + body + `}}`},
	{"the same title again", "POST", "/articles", "token-1", `{"article":{"title":"How to train your dragon!","description":"So toothless","body":"It takes a Jacobian","tagList":["dragons"]}}`, 201, `{"article":{` + dragon2 + plain + byJake + body + `}}`},
	{"an article without tags", "POST", "/articles", "token-2", `{"article":{"title":"A cat","description":"d","body":"It takes a Jacobian"}}`, 201, `{"article":{` + cat + plain + byAnah + body + `}}`},
	{"write without a token", "POST", "/articles", "", `{"article":{"title":"t","description":"d","body":"b"}}`, 401, missing},
	{"an article with blanks", "POST", "/articles", "token-1", `{"article":{"title":"","description":"","body":""}}`, 422, `{"errors":{"title":["can't be blank"],"description":["can't be blank"],"body":["can't be blank"]}}`},
	{"an article", "GET", "/articles/how-to-train-your-dragon", "", "", 200, `{"article":{` + dragon + plain + byJake + body + `}}`},
	{"no article", "GET", "/articles/none", "", "", 404, noArticle},
	{"all articles", "GET", "/articles", "", "", 200, `{"articles":[{` + cat + plain + byAnah + `},{` + dragon2 + plain + byJake + `},{` + dragon + plain + byJake + `}],"articlesCount":3}`},
	{"a part of them", "GET", "/articles?limit=1&offset=1", "", "", 200, `{"articles":[{` + dragon2 + plain + byJake + `}],"articlesCount":3}`},
	{"a part behind the end", "GET", "/articles?offset=9", "", "", 200, `{"articles":[],"articlesCount":3}`},
	{"a limit that is not a number", "GET", "/articles?limit=x", "", "", 422, `{"errors":{"limit":["must be an integer"]}}`},
	{"by tag", "GET", "/articles?tag=training", "", "", 200, `{"articles":[{` + dragon + plain + byJake + `}],"articlesCount":1}`},
	{"by author", "GET", "/articles?author=anah", "", "", 200, `{"articles":[{` + cat + plain + byAnah + `}],"articlesCount":1}`},
	{"by an author who is not there", "GET", "/articles?author=none", "", "", 200, `{"articles":[],"articlesCount":0}`},
	{"tags", "GET", "/tags", "", "", 200, `{"tags":["dragons","training"]}`},

	// Profiles and the feed
	{"a profile", "GET", "/profiles/jake", "", "", 200, `{"profile":{` + byJake[len(`"author":{`):] + `}`},
	{"no profile", "GET", "/profiles/none", "", "", 404, noUser},
	{"an empty feed", "GET", "/articles/feed", "token-2", "", 200, `{"articles":[],"articlesCount":0}`},
	{"follow", "POST", "/profiles/jake/follow", "token-2", "", 200, `{"profile":{` + byFollowed[len(`"author":{`):] + `}`},
	{"follow without a token", "POST", "/profiles/jake/follow", "", "", 401, missing},
	{"follow nobody", "POST", "/profiles/none/follow", "token-2", "", 404, noUser},
	{"a profile that the caller follows", "GET", "/profiles/jake", "token-2", "", 200, `{"profile":{` + byFollowed[len(`"author":{`):] + `}`},
	{"the feed", "GET", "/articles/feed?limit=1", "token-2", "", 200, `{"articles":[{` + dragon2 + plain + byFollowed + `}],"articlesCount":2}`},
	{"the feed of nobody", "GET", "/articles/feed", "", "", 401, missing},
	{"an article by somebody whom the caller follows", "GET", "/articles/how-to-train-your-dragon", "token-2", "", 200, `{"article":{` + dragon + plain + byFollowed + body + `}}`},
	{"unfollow", "DELETE", "/profiles/jake/follow", "token-2", "", 200, `{"profile":{` + byJake[len(`"author":{`):] + `}`},
	{"the feed is empty again", "GET", "/articles/feed", "token-2", "", 200, `{"articles":[],"articlesCount":0}`},

	// Favorites
	{"a favorite", "POST", "/articles/how-to-train-your-dragon/favorite", "token-2", "", 200, `{"article":{` + dragon + liked + byJake + body + `}}`},
	{"the same one again", "POST", "/articles/how-to-train-your-dragon/favorite", "token-2", "", 200, `{"article":{` + dragon + liked + byJake + body + `}}`},
	{"as others see it", "GET", "/articles/how-to-train-your-dragon", "token-1", "", 200, `{"article":{` + dragon + like1 + byJake + body + `}}`},
	{"favorites of a user", "GET", "/articles?favorited=anah", "", "", 200, `{"articles":[{` + dragon + like1 + byJake + `}],"articlesCount":1}`},
	{"a favorite without a token", "POST", "/articles/how-to-train-your-dragon/favorite", "", "", 401, missing},
	{"a favorite that is not there", "POST", "/articles/none/favorite", "token-2", "", 404, noArticle},
	{"a favorite less", "DELETE", "/articles/how-to-train-your-dragon/favorite", "token-2", "", 200, `{"article":{` + dragon + plain + byJake + body + `}}`},

	// Comments
	{"no comments", "GET", "/articles/a-cat/comments", "", "", 200, `{"comments":[]}`},
	{"a comment", "POST", "/articles/a-cat/comments", "token-1", `{"comment":{"body":"His name was my name too."}}`, 200, `{"comment":{"id":1,"createdAt":"2026-01-01T00:00:04Z","updatedAt":"2026-01-01T00:00:04Z","body":"His name was my name too.",` + byJake + `}}`},
	{"a blank comment", "POST", "/articles/a-cat/comments", "token-1", `{"comment":{"body":""}}`, 422, `{"errors":{"body":["can't be blank"]}}`},
	{"a comment without a token", "POST", "/articles/a-cat/comments", "", `{"comment":{"body":"b"}}`, 401, missing},
	{"a comment on nothing", "POST", "/articles/none/comments", "token-1", `{"comment":{"body":"b"}}`, 404, noArticle},
	{"comments", "GET", "/articles/a-cat/comments", "", "", 200, `{"comments":[{"id":1,"createdAt":"2026-01-01T00:00:04Z","updatedAt":"2026-01-01T00:00:04Z","body":"His name was my name too.",` + byJake + `}]}`},
	{"delete a comment of somebody else", "DELETE", "/articles/a-cat/comments/1", "token-2", "", 403, `{"errors":{"comment":["forbidden"]}}`},
	{"delete a comment that is not there", "DELETE", "/articles/a-cat/comments/9", "token-1", "", 404, `{"errors":{"comment":["not found"]}}`},
	{"an id that is not a number", "DELETE", "/articles/a-cat/comments/x", "token-1", "", 422, `{"errors":{"id":["must be an integer"]}}`},
	{"delete a comment", "DELETE", "/articles/a-cat/comments/1", "token-1", "", 204, ""},
	{"the comment is gone", "GET", "/articles/a-cat/comments", "", "", 200, `{"comments":[]}`},

	// Changes of articles
	{"update an article", "PUT", "/articles/a-cat", "token-2", `{"article":{"title":"Two cats","tagList":["cats"]}}`, 200, `{"article":{"slug":"two-cats","title":"Two cats","description":"d","tagList":["cats"],"createdAt":"2026-01-01T00:00:03Z","updatedAt":"2026-01-01T00:00:05Z",` + plain + byAnah + body + `}}`},
	{"the old slug", "GET", "/articles/a-cat", "", "", 404, noArticle},
	{"tags that are null", "PUT", "/articles/two-cats", "token-2", `{"article":{"tagList":null}}`, 422, `{"errors":{"tagList":["must not be null; leave it out"]}}`},
	{"update an article of somebody else", "PUT", "/articles/two-cats", "token-1", `{"article":{"body":"b"}}`, 403, forbidden},
	{"update without a token", "PUT", "/articles/two-cats", "", `{"article":{"body":"b"}}`, 401, missing},
	{"delete an article of somebody else", "DELETE", "/articles/two-cats", "token-1", "", 403, forbidden},
	{"delete an article", "DELETE", "/articles/two-cats", "token-2", "", 204, ""},
	{"delete it again", "DELETE", "/articles/two-cats", "token-2", "", 404, noArticle},
	{"a path that is not there", "GET", "/none", "", "", 404, ""},
	{"a verb that is not there", "PATCH", "/user", "token-1", "", 405, ""},
}
