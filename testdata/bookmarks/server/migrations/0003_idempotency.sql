-- What a call with an idempotency key has answered. Delete what is older than a day.
create table idempotency (
	id      text primary key,
	record  bytea not null,
	made_at timestamptz not null default now()
);
create index idempotency_by_age on idempotency (made_at);
