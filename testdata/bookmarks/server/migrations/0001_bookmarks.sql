create table bookmarks (
	id              bigint generated always as identity primary key,
	owner           text not null,
	url             text not null,
	title           text not null,
	note            text not null,
	tags            text[] not null default '{}',
	version         bigint not null default 1,
	created_at      timestamptz not null default clock_timestamp(),
	search          tsvector not null generated always as (to_tsvector('english', title || ' ' || note)) stored,
	constraint bookmarks_url unique (owner, url)
);
create index bookmarks_by_id on bookmarks (owner, id);
create index bookmarks_search on bookmarks using gin (search);
create index bookmarks_tags on bookmarks using gin (tags);
