create table bookmarks (
	id         bigint generated always as identity primary key,
	owner      text not null,
	title      text not null,
	tags       text[] not null,
	kind       text not null,
	url        text not null, -- of a link, and else empty, as those below
	text       text not null, -- of a note
	name       text not null, -- of a file
	type       text not null,
	data       bytea,
	version    bigint not null default 1,
	created_at timestamptz not null default clock_timestamp(),
	search     tsvector not null generated always as (to_tsvector('english', title || ' ' || text)) stored
);
create unique index bookmarks_url on bookmarks (owner, url) where kind = 'link';
create index bookmarks_by_id on bookmarks (owner, id);
create index bookmarks_search on bookmarks using gin (search);
create index bookmarks_tags on bookmarks using gin (tags);

-- Of a token there is only its hash: insert into tokens values (sha256('…'), 'ada', '{bookmarks:read}');
create table tokens (
	hash    bytea primary key,
	subject text not null,
	scopes  text[] not null,
	expires timestamptz -- null for never
);

-- What a call with an idempotency key has answered. Delete what is older than a day.
create table idempotency (
	id      text primary key,
	record  bytea not null,
	made_at timestamptz not null default now()
);
create index idempotency_by_age on idempotency (made_at);
