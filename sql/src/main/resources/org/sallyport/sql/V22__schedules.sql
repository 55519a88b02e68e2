-- What begins by itself, and when. Names of schedules, cron expressions and zones have no characters that need encoding.

create table schedule (
    id             uuid                        not null,
    tenant         varchar                     not null,
    -- The key in whose name it runs.
    owner          varchar                     not null,
    name           varchar(100)                not null,
    -- By the calendar of a zone, or every so often since a moment.
    cron           varchar(200),
    zone           varchar(100),
    every_millis   bigint,
    start_at       timestamp(6) with time zone,
    on_overlap     varchar(16)                 not null,
    catch_up       varchar(8)                  not null,
    -- What runs, as JSON.
    request        text                        not null,
    paused         boolean                     not null,
    pause_reason   varchar,
    paused_at      timestamp(6) with time zone,
    -- The first time that nobody has seen to, and when to look whether it has come.
    due_at         timestamp(6) with time zone not null,
    look_at        timestamp(6) with time zone not null,
    -- Whether that time waits for an execution to end.
    held           boolean                     default false not null,
    last_execution uuid,
    last_at        timestamp(6) with time zone,
    left_out_at    timestamp(6) with time zone,
    left_out_why   varchar(8),
    -- Rises with every change by people.
    version        bigint                      default 0 not null,
    created_at     timestamp(6) with time zone default current_timestamp not null,
    constraint schedule_pk primary key (id),
    constraint schedule_name unique (tenant, name),
    constraint schedule_timing check ((cron is null) <> (every_millis is null))
);

create index schedule_by_look on schedule (paused, look_at);
create index schedule_by_tenant on schedule (tenant, id desc);

-- Which executions a schedule has begun.
create table schedule_run (
    execution_id uuid    not null,
    schedule_id  uuid    not null,
    -- The time that it is for; null when somebody asked for it.
    at           timestamp(6) with time zone,
    -- Whether it may not have ended yet.
    open         boolean not null,
    constraint schedule_run_pk primary key (execution_id),
    constraint schedule_run_of foreign key (execution_id) references execution (id)
);

create index schedule_run_by_schedule on schedule_run (schedule_id, execution_id desc);
create index schedule_run_by_open on schedule_run (schedule_id, open);
