-- Of a token there is only its hash: insert into tokens values (sha256('…'), 'ada', '{bookmarks:read}');
create table tokens (
	hash    bytea primary key,
	subject text not null,
	scopes  text[] not null,
	expires timestamptz -- null for never
);
