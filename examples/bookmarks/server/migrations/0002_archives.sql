-- What all processes seal with the same key, such as the ids of tasks.
create table keys (
	name text primary key,
	key  bytea not null
);
insert into keys values ('state', uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- The record of work that goes on after its call. The process that works writes seen_at.
create table archives (
	id      bigint generated always as identity primary key,
	owner   text not null,
	state   text not null default 'working',
	message text not null default '',
	content bytea, -- of an archive that is completed
	seen_at timestamptz not null default now()
);
create unique index archives_working on archives (owner) where state = 'working';
