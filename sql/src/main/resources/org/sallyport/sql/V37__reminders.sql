-- When people are reminded of what they have not decided, and when they were. Each step may be done again: H2 keeps the steps that were
-- made before a death.
alter table approval add column if not exists remind_before_millis bigint default 0 not null;
alter table approval add column if not exists remind_every_millis bigint default 0 not null;
alter table approval add column if not exists remind_times integer default 0 not null;
-- The next time; none when there will be no more.
alter table approval add column if not exists remind_at timestamp(6) with time zone;
alter table approval add column if not exists reminded integer default 0 not null;
alter table approval add column if not exists reminded_at timestamp(6) with time zone;
create index if not exists approval_to_remind on approval (remind_at);
