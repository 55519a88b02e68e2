-- These files run on H2 and PostgreSQL. H2 commits each statement, and after a crash the next start runs the whole
-- file again, so every statement in these files may run twice.
-- Text columns hold strings that org.sallyport.store.jpa.LosslessText encoded, so a length here is not the length of
-- the original text.

-- One row per execution, with its life cycle. The row is small, because it is the only row of an execution that
-- changes.
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
    -- Who requested the cancellation first, why, and when. Null for nearly all.
    cancelled_by      varchar,
    cancel_reason     varchar,
    cancelled_at      timestamp(6) with time zone,
    error_code        varchar,
    last_seq          bigint                      default 0 not null,
    out_length        bigint                      default 0 not null,
    err_length        bigint                      default 0 not null,
    -- Bytes of the journal, as org.sallyport.journal.JournalSize counts them.
    journal_bytes     bigint                      default 0 not null,
    truncated         boolean                     default false not null,
    created_at        timestamp(6) with time zone default current_timestamp not null,
    started_at        timestamp(6) with time zone,
    finished_at       timestamp(6) with time zone,
    deadline_at       timestamp(6) with time zone,
    -- The time at which a sweeper must check the execution next. In a terminal state, the time at which it ended, so
    -- that the index of the sweepers finds the oldest executions of a state.
    next_check_at     timestamp(6) with time zone not null,
    -- How the script is run, decided when the execution is accepted. Null means SANDBOX.
    tier              varchar(16),
    -- The progress that the script reports.
    progress_permille smallint,
    progress_text     varchar,
    -- Whether the execution continues after the loss of its node: journal (yes) or none (no).
    durability        varchar(8)                  default 'journal' not null,
    -- Number of attempts that were lost with their nodes, and of those that ran alone on their node.
    node_losses       integer                     default 0 not null,
    node_losses_alone integer                     default 0 not null,
    -- Whether its node, which has crashed repeatedly, runs nothing else beside it.
    runs_alone        boolean                     default false not null,
    -- Whether it does so while the execution, which has lost a node, replays its journal, and number of losses of such
    -- nodes since a replay was complete.
    replays_alone     boolean                     default false not null,
    replay_losses     integer                     default 0 not null,
    -- The execution that this one re-runs; null for nearly all. This and other nullable ids are texts, because
    -- EclipseLink cannot read a UUID that is null. No foreign key: the other execution may be deleted first.
    rerun_of          varchar(36),
    -- FRESH, FROM or OFFLINE.
    rerun_mode        varchar(8),
    -- The first call that is sent to its backend instead of being taken from the journal.
    rerun_from        bigint,
    -- Whether its script or its input differs from that of the execution that it re-runs.
    rerun_edited      boolean,
    -- Condition of a WAITING execution, and the start of the wait. It waits until next_check_at at the latest.
    waiting_for       varchar(16),
    waiting_since     timestamp(6) with time zone,
    -- No index: a query for the executions of a batch starts from batch_item.
    batch_id          varchar(36),
    -- Name and version of the capability that the execution runs, separated by @; null for nearly all.
    capability        varchar(301),
    -- The name of the saved script that the execution runs, or under which its script was saved when it completed; null
    -- for nearly all.
    saved_script      varchar(100),
    -- The execution whose call started this one; null for nearly all.
    parent            varchar(36),
    -- The schedule that started the execution; null for nearly all. No foreign key: the schedule may be deleted first.
    schedule_id       varchar(36),
    -- The cost of its calls and of the executions that they started; null for nearly all.
    cost              bigint,
    -- The earliest start, and the deadline that the submission set; null for nearly all.
    not_before        timestamp(6) with time zone,
    ends_by           timestamp(6) with time zone,
    -- A limited number of executions of a tenant with the same key run at one time. Null for nearly all.
    concurrency_key   varchar,
    -- Whether the execution still waits for a turn of its key; null without a key.
    awaits_turn       boolean,
    -- The retry policy, in the form of org.sallyport.execution.RetryPolicy; null for nearly all. So are the number of
    -- this attempt from 1, and the executions of the first attempt and of the attempts before and after it. No foreign
    -- keys: executions of other attempts may be deleted first.
    retry             varchar(1000),
    retry_attempt     integer,
    retry_first       varchar(36),
    retry_of          varchar(36),
    retried_by        varchar(36),
    -- Why no attempt follows a failed one: ERROR, ATTEMPTS, WRITES, DEADLINE, BATCH or STORAGE.
    not_retried       varchar(8),
    -- Kinds, names and counts of what the script tried to use although it may not; null for nearly all.
    blocked_attempts  varchar,
    constraint execution_pk primary key (id),
    constraint execution_state check (state in
        ('PENDING', 'RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')),
    constraint execution_next_check check (next_check_at is not null or state in
        ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')),
    constraint execution_priority check (priority between 0 and 9)
);

-- Lists show the newest first, here and in other tables, so their indexes are descending: PostgreSQL reads an index in
-- both directions; H2 does not, and would sort all rows of a tenant.
create index if not exists execution_by_tenant on execution (tenant, id desc);
-- For lists by submitter.
create index if not exists execution_by_submitter on execution (tenant, submitter, id desc);
-- For lists by state, and for the position in the queue.
create index if not exists execution_by_state on execution (tenant, state, id desc, priority);
-- For the sweepers. The id orders executions that ended at the same time, so that retention can page through them.
create index if not exists execution_by_check on execution (state, next_check_at, id);

-- The submission. Never changed.
create table if not exists execution_input (
    execution_id   uuid         not null,
    code           text         not null,
    args           text         not null,
    context        text         not null,
    grants         text         not null,
    intent         text,
    cpu_millis     bigint       not null,
    heap_bytes     bigint       not null,
    tool_calls     integer      not null,
    output_chars   integer      not null,
    -- The debug mode; null for nearly all.
    debug          varchar(16),
    -- The seed of all random numbers of the script, so that another attempt repeats them. Null means the id of the
    -- execution.
    seed           varchar,
    -- The JSON schema of the result. It is a copy, so that no other row must be read when the execution ends.
    output_schema  text,
    -- How calls with effects are handled, as a JSON object. Null if they are sent as usual.
    effects        text,
    -- The URL that is notified of the end of the execution; null for nearly all.
    callback       varchar,
    -- The distributed trace of the execution: a traceparent, and its tracestate after a semicolon. Null without one.
    trace_context  varchar(600),
    -- The cost limit that the submitter asked for; null for nearly all.
    cost_limit     bigint,
    -- The name under which the script is to be saved; null for nearly all.
    save_as        varchar(100),
    -- The name of the saved script that the execution runs.
    script         varchar(100),
    -- The execution whose result this one received instead of being run.
    cached_from    varchar(36),
    -- Whether the execution shares the results of reads with others of its batch; null for nearly all.
    share_reads    boolean,
    -- Limits that the submitter asked for and that have no column: a JSON object; null if there are none.
    further_limits text,
    -- The variables that the script sees, encrypted with the key of the secrets; null for nearly all.
    variables      text,
    -- Where the publisher of the capability wants the script to run: process or in-process; null for nearly all.
    sandbox        varchar(16),
    constraint execution_input_pk primary key (execution_id),
    constraint execution_input_fk foreign key (execution_id) references execution (id)
);

-- The outcome of an execution. Never changed. A cancelled execution has none.
create table if not exists execution_outcome (
    execution_id  uuid        not null,
    result        text,
    error_culprit varchar(16),
    error_message text,
    error_line    integer,
    error_column  integer,
    error_stack   text,
    error_tool    text,
    error_call    bigint,
    constraint execution_outcome_pk primary key (execution_id),
    constraint execution_outcome_fk foreign key (execution_id) references execution (id)
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

-- For retention: a key is deleted with its execution.
create index if not exists idempotency_key_by_execution on idempotency_key (execution_id);

-- Search terms of executions: their labels, the tools that they called, the execution that they re-run. A separate
-- table, so that executions without search terms need no index entry.
create table if not exists execution_term (
    tenant       varchar not null,
    -- A label, a tool or an id in the encoding of org.sallyport.store.jpa.SearchTerms.
    term         varchar not null,
    execution_id uuid    not null,
    constraint execution_term_pk primary key (tenant, term, execution_id),
    constraint execution_term_fk foreign key (execution_id) references execution (id)
);

create index if not exists execution_term_newest on execution_term (tenant, term, execution_id desc);
-- For retention.
create index if not exists execution_term_by_execution on execution_term (execution_id);

-- Times at which an execution needs work besides its next check. A row is deleted when the work is done. A separate
-- table, so that executions without such times need no index entry.
create table if not exists execution_alarm (
    execution_id uuid                        not null,
    -- START: the job must be sent; END: the deadline has passed.
    kind         varchar(5)                  not null,
    at           timestamp(6) with time zone not null,
    constraint execution_alarm_pk primary key (execution_id, kind),
    constraint execution_alarm_fk foreign key (execution_id) references execution (id) on delete cascade
);

create index if not exists execution_alarm_by_time on execution_alarm (at, execution_id);

-- Executions with a concurrency key that have not ended, and some that have. A separate table, so that other executions
-- need no index entry.
create table if not exists concurrency_turn (
    execution_id uuid       not null,
    tenant       varchar    not null,
    name         varchar    not null,
    -- The priority of the execution. Waiting executions get turns in this order.
    priority     integer    not null,
    -- NEW: no node has tried to run the execution. WAITING: a node has tried while other executions had all turns.
    -- GRANTED: the execution has a turn until it ends.
    status       varchar(7) not null,
    constraint concurrency_turn_pk primary key (execution_id),
    constraint concurrency_turn_fk foreign key (execution_id) references execution (id) on delete cascade
);

create index if not exists concurrency_turn_by_name
    on concurrency_turn (tenant, name, status, priority desc, execution_id);
create index if not exists concurrency_turn_by_status on concurrency_turn (status, tenant, name);

-- A transaction that assigns turns of a key locks one of these rows. There is no row per key, because clients choose
-- the keys, and a row of each key would remain.
create table if not exists concurrency_lock (
    slot integer not null,
    constraint concurrency_lock_pk primary key (slot)
);

insert into concurrency_lock (slot)
    select n.slot
    from (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15)) as n (slot)
    where not exists (select 1 from concurrency_lock);

-- Executions that a call of another execution started.
create table if not exists nested_execution (
    execution_id uuid    not null,
    parent_id    uuid    not null,
    call_ordinal bigint  not null,
    -- The outermost execution, which no call started.
    root_id      uuid    not null,
    depth        integer not null,
    -- Names of the capabilities that its ancestors run, separated by commas.
    path         varchar not null,
    constraint nested_execution_pk primary key (execution_id),
    -- A call that is repeated after a crash starts no second execution.
    constraint nested_execution_call unique (parent_id, call_ordinal),
    constraint nested_execution_fk foreign key (execution_id) references execution (id)
);

create index if not exists nested_execution_by_root on nested_execution (root_id);

-- Nested executions that have not ended, or whose parent has not ended. Few rows, which are read periodically.
create table if not exists nested_execution_active (
    execution_id uuid not null,
    parent_id    uuid not null,
    constraint nested_execution_active_pk primary key (execution_id),
    constraint nested_execution_active_fk foreign key (execution_id) references execution (id)
);
