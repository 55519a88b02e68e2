-- The same text runs on H2 and PostgreSQL.
-- Text columns hold what org.sallyport.store.LosslessText makes of a string, so lengths here are not the author's.

-- One row per execution: its life cycle. Narrow, because it is the only row of an execution that ever changes.
create table execution (
    id               uuid                        not null,
    tenant           varchar                     not null,
    submitter        varchar                     not null,
    state            varchar(16)                 not null,
    language         varchar(16)                 not null,
    priority         smallint                    not null,
    code_preview     varchar                     not null,
    labels           text                        not null,
    wall_millis      bigint                      not null,
    attempt          integer                     default 0 not null,
    node             varchar,
    cancel_requested boolean                     default false not null,
    error_code       varchar,
    last_seq         bigint                      default 0 not null,
    out_length       bigint                      default 0 not null,
    err_length       bigint                      default 0 not null,
    truncated        boolean                     default false not null,
    created_at       timestamp(6) with time zone default current_timestamp not null,
    started_at       timestamp(6) with time zone,
    finished_at      timestamp(6) with time zone,
    deadline_at      timestamp(6) with time zone,
    -- When a sweeper must look at it; every row that is not terminal has one.
    next_check_at    timestamp(6) with time zone,
    constraint execution_pk primary key (id),
    constraint execution_state check (state in
        ('PENDING', 'RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')),
    constraint execution_checked check (next_check_at is not null or state in
        ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')),
    constraint execution_priority check (priority between 0 and 9)
);

-- Lists, newest first.
create index execution_by_tenant on execution (tenant, id desc);
-- Lists of some states, and the place in the queue.
create index execution_by_state on execution (tenant, state, id desc, priority);
-- Sweepers.
create index execution_by_next_check on execution (state, next_check_at);

-- What was submitted. Never changed.
create table execution_input (
    execution_id uuid    not null,
    code         text    not null,
    args         text    not null,
    context      text    not null,
    grants       text    not null,
    intent       text,
    cpu_millis   bigint  not null,
    heap_bytes   bigint  not null,
    tool_calls   integer not null,
    output_chars integer not null,
    constraint execution_input_pk primary key (execution_id),
    constraint execution_input_of foreign key (execution_id) references execution (id)
);

-- How it ended. Never changed. An execution that was cancelled has none.
create table execution_outcome (
    execution_id  uuid    not null,
    result        text,
    error_culprit varchar(16),
    error_message text,
    error_line    integer,
    error_column  integer,
    error_stack   text,
    error_tool    text,
    error_call    bigint,
    constraint execution_outcome_pk primary key (execution_id),
    constraint execution_outcome_of foreign key (execution_id) references execution (id)
);

-- The trace, which is also the journal. Never changed.
create table trace_event (
    execution_id    uuid                        not null,
    seq             bigint                      not null,
    type            varchar(16)                 not null,
    at              timestamp(6) with time zone not null,
    call_ordinal    bigint,
    tool            text,
    arguments       text,
    result          text,
    error_code      varchar,
    error_message   text,
    error_details   text,
    duration_millis bigint,
    queue_millis    bigint,
    state           varchar(16),
    attempt         integer,
    constraint trace_event_pk primary key (execution_id, seq),
    constraint trace_event_of foreign key (execution_id) references execution (id)
);

-- Output, in pieces. Never changed. Offsets count UTF-16 code units of the text as the script wrote it.
create table output_chunk (
    execution_id uuid       not null,
    kind         varchar(3) not null,
    start_offset bigint     not null,
    end_offset   bigint     not null,
    text         text       not null,
    constraint output_chunk_pk primary key (execution_id, kind, start_offset),
    constraint output_chunk_of foreign key (execution_id) references execution (id)
);

-- Which execution a client's key stands for.
create table idempotency_key (
    tenant       varchar                     not null,
    client_key   varchar                     not null,
    body_hash    varchar                     not null,
    execution_id uuid                        not null,
    created_at   timestamp(6) with time zone default current_timestamp not null,
    constraint idempotency_key_pk primary key (tenant, client_key)
);
