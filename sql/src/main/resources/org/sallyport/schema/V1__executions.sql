-- The same text runs on H2 and PostgreSQL. H2 commits each statement, and after a crash the next start runs the whole
-- file again: every statement in these files may run twice.
-- Text columns hold what org.sallyport.store.LosslessText makes of a string, so a length here is not the length of the
-- text that the author wrote.

-- One row per execution: its life cycle. Narrow, because it is the only row of an execution that ever changes.
create table if not exists execution (
    id                uuid                        not null,
    tenant            varchar                     not null,
    submitter         varchar                     not null,
    state             varchar(16)                 not null,
    language          varchar(16)                 not null,
    priority          smallint                    not null,
    code_preview      varchar                     not null,
    labels            text                        not null,
    wall_millis       bigint                      not null,
    attempt           integer                     default 0 not null,
    node              varchar,
    cancel_requested  boolean                     default false not null,
    error_code        varchar,
    last_seq          bigint                      default 0 not null,
    out_length        bigint                      default 0 not null,
    err_length        bigint                      default 0 not null,
    truncated         boolean                     default false not null,
    created_at        timestamp(6) with time zone default current_timestamp not null,
    started_at        timestamp(6) with time zone,
    finished_at       timestamp(6) with time zone,
    deadline_at       timestamp(6) with time zone,
    -- When a sweeper must check it next. In a terminal state: when it ended, so that the sweepers' index finds the
    -- oldest of a state.
    next_check_at     timestamp(6) with time zone not null,
    -- How the script is run, decided when it is accepted. Null means SANDBOX.
    tier              varchar(16),
    -- The progress that the script reports.
    progress_permille smallint,
    progress_text     varchar,
    -- Whether it goes on when its node is lost: journal or none.
    durability        varchar(8)                  default 'journal' not null,
    -- How many of its attempts were lost with their nodes.
    lost_runs         integer                     default 0 not null,
    -- The execution that it re-runs; null for nearly all. This and other ids that may be null are texts, because
    -- EclipseLink cannot read a UUID that is null. No foreign key: the other execution may be deleted first.
    rerun_of          varchar(36),
    -- FRESH, FROM or OFFLINE.
    rerun_mode        varchar(8),
    -- The first call that is sent to its backend instead of being taken from the journal.
    rerun_from        bigint,
    -- Whether its script or its input differs from that of the execution that it re-runs.
    rerun_edited      boolean,
    -- What a WAITING execution waits for, and since when. It waits until next_check_at at the latest.
    waiting_for       varchar(16),
    waiting_since     timestamp(6) with time zone,
    -- No index: a query for the executions of a batch starts from batch_item.
    batch_id          varchar(36),
    -- Name and version of the capability that it runs, separated by @; null for nearly all.
    capability        varchar(301),
    -- The execution whose call started it; null for nearly all.
    parent            varchar(36),
    -- What its calls cost, and those of executions that they started; null for nearly all.
    cost              bigint,
    -- The time before which it may not start, and the deadline of its own; null for nearly all.
    not_before        timestamp(6) with time zone,
    ends_by           timestamp(6) with time zone,
    -- Executions of a tenant with the same key take turns. Null for nearly all.
    concurrency_key   varchar,
    -- Whether it still waits for its turn; null without a key.
    awaits_turn       boolean,
    constraint execution_pk primary key (id),
    constraint execution_state check (state in
        ('PENDING', 'RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')),
    constraint execution_checked check (next_check_at is not null or state in
        ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')),
    constraint execution_priority check (priority between 0 and 9)
);

-- Lists show the newest first, here and in other tables, so their indexes are descending: PostgreSQL reads an index in
-- both directions; H2 does not, and would sort all rows of a tenant.
create index if not exists execution_by_tenant on execution (tenant, id desc);
-- Lists of some states, and the position in the queue.
create index if not exists execution_by_state on execution (tenant, state, id desc, priority);
-- Sweepers. Executions that ended at the same time have an order by id, so that retention can go through them.
create index if not exists execution_by_check on execution (state, next_check_at, id);

-- What was submitted. Never changed.
create table if not exists execution_input (
    execution_id   uuid    not null,
    code           text    not null,
    args           text    not null,
    context        text    not null,
    grants         text    not null,
    intent         text,
    cpu_millis     bigint  not null,
    heap_bytes     bigint  not null,
    tool_calls     integer not null,
    output_chars   integer not null,
    -- How the author debugs it; null for nearly all.
    debug          varchar(16),
    -- The seed of all random numbers of the script, so that another attempt repeats them. Null means the id of the
    -- execution.
    seed           varchar,
    -- The JSON schema of its result: a copy, so that its end needs no other row.
    output_schema  text,
    -- How effects are handled unless they are simply made: a JSON object.
    effects        text,
    -- The URL that is notified of its end; null for nearly all.
    callback       varchar,
    -- The distributed trace that it belongs to: a traceparent, and its tracestate after a semicolon. Null without one.
    trace_context  varchar(600),
    -- The cost limit that the submitter asked for; null for nearly all.
    cost_limit     bigint,
    -- The name under which its script is saved; null for nearly all.
    keep_as        varchar(100),
    -- The name of the saved script that it runs.
    script         varchar(100),
    -- The execution whose result it was given instead of being run.
    cached_from    varchar(36),
    -- Whether it shares the results of reads with other executions of its batch; null for nearly all.
    share_reads    boolean,
    -- Limits that the submitter asked for and that have no column: a JSON object; null if there are none.
    further_limits text,
    constraint execution_input_pk primary key (execution_id),
    constraint execution_input_of foreign key (execution_id) references execution (id)
);

-- How it ended. Never changed. A cancelled execution has none.
create table if not exists execution_outcome (
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

-- The execution that was accepted with an idempotency key of a client.
create table if not exists idempotency_key (
    tenant       varchar                     not null,
    client_key   varchar                     not null,
    body_hash    varchar                     not null,
    execution_id uuid                        not null,
    created_at   timestamp(6) with time zone default current_timestamp not null,
    constraint idempotency_key_pk primary key (tenant, client_key)
);

-- Retention: a key is deleted with its execution.
create index if not exists idempotency_key_of on idempotency_key (execution_id);

-- What executions are searched by: their labels, the tools that they called, the execution that they re-run. A table of
-- its own, so that executions without any pay for no index.
create table if not exists execution_mark (
    tenant       varchar not null,
    -- What org.sallyport.store.SearchTerms makes of a label, a tool or an id.
    mark         varchar not null,
    execution_id uuid    not null,
    constraint execution_mark_pk primary key (tenant, mark, execution_id),
    constraint execution_mark_of foreign key (execution_id) references execution (id)
);

create index if not exists execution_mark_newest on execution_mark (tenant, mark, execution_id desc);
-- Retention.
create index if not exists execution_mark_by_execution on execution_mark (execution_id);

-- Times at which an execution needs work besides its next check. A row is deleted when the work is done. A table of its
-- own, so that executions without such times pay for no index.
create table if not exists execution_alarm (
    execution_id uuid                        not null,
    -- START: its job is to be sent; END: its deadline has come.
    kind         varchar(5)                  not null,
    at           timestamp(6) with time zone not null,
    constraint execution_alarm_pk primary key (execution_id, kind),
    constraint execution_alarm_of foreign key (execution_id) references execution (id) on delete cascade
);

create index if not exists execution_alarm_by_time on execution_alarm (at, execution_id);

-- Executions with a concurrency key that have not ended, and some that have. A table of its own, so that others pay for
-- no index.
create table if not exists concurrency_turn (
    execution_id uuid       not null,
    tenant       varchar    not null,
    name         varchar    not null,
    -- The priority of the execution: those that asked get their turns in this order.
    priority     integer    not null,
    -- NEW: no node has tried to run it. ASKS: a node has tried while others had all turns. HAS: it has a turn until it
    -- ends.
    standing     varchar(4) not null,
    constraint concurrency_turn_pk primary key (execution_id),
    constraint concurrency_turn_of foreign key (execution_id) references execution (id) on delete cascade
);

create index if not exists concurrency_turn_by_name
    on concurrency_turn (tenant, name, standing, priority desc, execution_id);
create index if not exists concurrency_turn_by_standing on concurrency_turn (standing, tenant, name);

-- A transaction that gives turns of a key locks one of these rows. There is no row for each key, because clients choose
-- the keys, and each would leave a row behind.
create table if not exists concurrency_lock (
    slot integer not null,
    constraint concurrency_lock_pk primary key (slot)
);

insert into concurrency_lock (slot)
    select n.slot
    from (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15)) as n (slot)
    where not exists (select 1 from concurrency_lock);

-- Executions that a call of another execution started.
create table if not exists nested_run (
    execution_id uuid    not null,
    parent_id    uuid    not null,
    call_ordinal bigint  not null,
    -- The execution at the top, which no call started.
    root_id      uuid    not null,
    depth        integer not null,
    -- Names of the capabilities that run above it, separated by commas.
    path         varchar not null,
    constraint nested_run_pk primary key (execution_id),
    -- A call starts one execution, whatever crashes.
    constraint nested_run_call unique (parent_id, call_ordinal),
    constraint nested_run_of foreign key (execution_id) references execution (id)
);

create index if not exists nested_run_by_root on nested_run (root_id);

-- Nested executions whose end, or whose parent's end, is still to come: few rows, which are read from time to time.
create table if not exists nested_open (
    execution_id uuid not null,
    parent_id    uuid not null,
    constraint nested_open_pk primary key (execution_id),
    constraint nested_open_of foreign key (execution_id) references execution (id)
);
