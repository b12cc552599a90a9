-- Who gets the events of an owner: insert into subscriptions (owner, url, secret) values ('ada', 'https://…', 'whsec_…'),
-- with a secret of 32 random bytes for each: 'whsec_' || encode(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'base64').
create table subscriptions (
	id            bigint generated always as identity primary key,
	owner         text not null,
	url           text not null,
	secret        text not null,
	busy_until    timestamptz not null default now(), -- a process is sending; after a crash another one goes on
	failing_since timestamptz,                        -- null after a success
	ended_at      timestamptz,                        -- null while it gets events
	reason        text not null default ''            -- why it has ended
);
create index subscriptions_of on subscriptions (owner) where ended_at is null;

-- The outbox: events that a subscriber has not got yet.
create table deliveries (
	id           bigint generated always as identity primary key,
	subscription bigint not null references subscriptions on delete cascade,
	bookmark     bigint not null, -- its events are sent one after the other
	event        text not null,   -- the webhook-id: the same for each attempt and each subscriber
	payload      bytea not null,
	attempts     integer not null default 0,
	due_at       timestamptz not null default now()
);
create index deliveries_due on deliveries (due_at);
create index deliveries_in_order on deliveries (subscription, bookmark, id);
create sequence events;

-- A trigger writes the outbox in the transaction of each change, so that no method can forget it. The
-- row of the bookmark is locked, so the ids of its deliveries are in the order of its changes.
create function note_event() returns trigger language plpgsql as $$
declare
	changed bookmarks;
	event text;
begin
	if tg_op = 'DELETE' then changed := old; else changed := new; end if;
	if not exists (select from subscriptions where owner = changed.owner and ended_at is null) then
		return null;
	end if;
	event := 'evt_' || nextval('events');
	insert into deliveries (subscription, bookmark, event, payload)
	select id, changed.id, event, convert_to(json_build_object('type', tg_argv[0], 'id', changed.id, 'version', changed.version)::text, 'UTF8')
	from subscriptions where owner = changed.owner and ended_at is null;
	return null;
end $$;
create trigger created after insert on bookmarks for each row execute function note_event('bookmark.created');
create trigger changed after update on bookmarks for each row execute function note_event('bookmark.changed');
create trigger deleted after delete on bookmarks for each row execute function note_event('bookmark.deleted');
