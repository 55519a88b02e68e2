-- Submissions that start at trigger times. Names of schedules, cron expressions and zones have no characters that need
-- encoding.
create table if not exists schedule (
    id                   uuid                        not null,
    tenant               varchar                     not null,
    -- The caller who created the schedule.
    creator              varchar                     not null,
    -- The API key on whose behalf the submission runs.
    owner                varchar                     not null,
    name                 varchar(100)                not null,
    -- Either a cron expression in a time zone, or an interval from a start time.
    cron                 varchar(200),
    zone                 varchar(100),
    every_millis         bigint,
    start_at             timestamp(6) with time zone,
    on_overlap           varchar(16)                 not null,
    catch_up             varchar(8)                  not null,
    -- The submission, as JSON.
    request              text                        not null,
    paused               boolean                     not null,
    pause_reason         varchar,
    paused_at            timestamp(6) with time zone,
    -- The first trigger time that was not handled yet, and the time at which to check whether it has passed.
    due_at               timestamp(6) with time zone not null,
    next_check_at        timestamp(6) with time zone not null,
    -- Whether that trigger time waits for an execution to end.
    waiting_for_previous boolean                     default false not null,
    last_execution       uuid,
    last_at              timestamp(6) with time zone,
    skipped_at           timestamp(6) with time zone,
    skip_reason          varchar(8),
    -- Why the trigger time could not be handled and is tried again. Null if it was handled, or was not tried.
    delay_reason         varchar,
    -- Whether it submits a batch of its stored rows. The submission then has the options of the batch.
    runs_batch           boolean                     default false not null,
    last_batch           uuid,
    -- Whether that trigger time was found early enough and waits until a node submits its batch.
    batch_queued         boolean                     default false not null,
    -- Increases with every change by a user.
    version              bigint                      default 0 not null,
    created_at           timestamp(6) with time zone default current_timestamp not null,
    constraint schedule_pk primary key (id),
    constraint schedule_name unique (tenant, name),
    constraint schedule_timing check ((cron is null) <> (every_millis is null))
);

create index if not exists schedule_by_next_check on schedule (paused, batch_queued, next_check_at);
create index if not exists schedule_by_queue on schedule (paused, batch_queued, tenant, next_check_at);
create index if not exists schedule_by_tenant on schedule (tenant, id desc);

-- Executions that a schedule started.
create table if not exists schedule_run (
    execution_id uuid                        not null,
    schedule_id  uuid                        not null,
    -- The trigger time for which the execution was started; null if a user started it.
    at           timestamp(6) with time zone,
    -- False only after the execution has ended.
    active       boolean                     not null,
    constraint schedule_run_pk primary key (execution_id),
    constraint schedule_run_fk foreign key (execution_id) references execution (id)
);

create index if not exists schedule_run_by_schedule on schedule_run (schedule_id, execution_id desc);
create index if not exists schedule_run_by_active on schedule_run (schedule_id, active);

-- The file of rows of a schedule that submits batches.
create table if not exists schedule_rows (
    schedule_id  uuid                        not null,
    -- Identifies the content: another one for each upload.
    file_id      uuid                        not null,
    content_type varchar(40)                 not null,
    size_bytes   bigint                      not null,
    -- Hexadecimal.
    sha256       varchar(64)                 not null,
    row_count    integer                     not null,
    -- Rows that were refused when the file was uploaded.
    refused      integer                     not null,
    uploaded_by  varchar                     not null,
    uploaded_at  timestamp(6) with time zone default current_timestamp not null,
    constraint schedule_rows_pk primary key (schedule_id),
    constraint schedule_rows_fk foreign key (schedule_id) references schedule (id)
);

-- Content of the file in chunks of at most 512 KB. Without a foreign key, because chunks are stored before the schedule
-- is locked.
create table if not exists schedule_rows_chunk (
    tenant      varchar not null,
    schedule_id uuid    not null,
    file_id     uuid    not null,
    chunk_index integer not null,
    content     bytea   not null,
    constraint schedule_rows_chunk_pk primary key (schedule_id, file_id, chunk_index)
);

-- Batches that a schedule submitted.
create table if not exists schedule_batch (
    batch_id    uuid                        not null,
    schedule_id uuid                        not null,
    -- The trigger time for which the batch was submitted; null if a user submitted it.
    at          timestamp(6) with time zone,
    -- False only after all executions of the batch have ended.
    active      boolean                     not null,
    constraint schedule_batch_pk primary key (batch_id),
    constraint schedule_batch_fk foreign key (batch_id) references batch (id)
);

create index if not exists schedule_batch_by_schedule on schedule_batch (schedule_id, batch_id desc);
create index if not exists schedule_batch_by_active on schedule_batch (schedule_id, active);
