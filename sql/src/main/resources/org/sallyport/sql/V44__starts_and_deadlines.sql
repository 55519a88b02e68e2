-- Before which time an execution may not begin, and at which it ends at the latest; null for nearly all. May be done again, all of
-- this: H2 keeps each step over a death.
alter table execution add column if not exists not_before timestamp(6) with time zone;
alter table execution add column if not exists ends_by timestamp(6) with time zone;

-- Executions that somebody must look at at a time of their own, besides their next check. Gone once that was done. A table of
-- its own, so that whoever has no such time pays for no index.
create table if not exists execution_alarm (
    execution_id uuid                        not null,
    -- START: its job is to be sent; END: its deadline is there.
    kind         varchar(5)                  not null,
    at           timestamp(6) with time zone not null,
    constraint execution_alarm_pk primary key (execution_id, kind),
    constraint execution_alarm_of foreign key (execution_id) references execution (id) on delete cascade
);

create index if not exists execution_alarm_by_time on execution_alarm (at, execution_id);
