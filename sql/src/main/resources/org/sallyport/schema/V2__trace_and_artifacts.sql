-- Data that executions produce: trace, output, artifacts. Texts and names are encoded by
-- org.sallyport.store.jpa.LosslessText.

-- The trace, which is also the journal. Never changed.
create table if not exists trace_event (
    execution_id    uuid                        not null,
    seq             bigint                      not null,
    type            varchar(16)                 not null,
    at              timestamp(6) with time zone not null,
    -- Bytes of the event (org.sallyport.journal.JournalSize), which end a page without a read of its texts. The default
    -- is the size of an event without texts.
    size_bytes      bigint                      default 200 not null,
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
    -- In rows of the type RECORDED: times and timers that the script read. The trace for users omits them.
    notes           text,
    -- Whether a call or a reply was taken from the journal of the execution that this one re-runs; null for no.
    replayed        boolean,
    -- The approval that was requested or decided, the policy rule that decided, and the approver.
    approval        varchar(36),
    approval_kind   varchar(8),
    rule            varchar,
    decider         varchar,
    constraint trace_event_pk primary key (execution_id, seq),
    constraint trace_event_fk foreign key (execution_id) references execution (id)
);

-- Output in chunks. Never changed. Offsets count UTF-16 code units of the text that the script wrote. Marks say when
-- and in which order over both streams the pieces of the text were written (org.sallyport.store.jpa.OutputMarkCodec).
create table if not exists output_chunk (
    execution_id uuid       not null,
    kind         varchar(3) not null,
    start_offset bigint     not null,
    end_offset   bigint     not null,
    text         text       not null,
    marks        text       not null,
    constraint output_chunk_pk primary key (execution_id, kind, start_offset),
    constraint output_chunk_fk foreign key (execution_id) references execution (id)
);

-- Files that scripts store with their execution.
create table if not exists artifact (
    execution_id uuid                        not null,
    name         varchar                     not null,
    kind         varchar(8)                  not null,
    content_type varchar                     not null,
    size_bytes   bigint                      not null,
    created_at   timestamp(6) with time zone default current_timestamp not null,
    constraint artifact_pk primary key (execution_id, name),
    constraint artifact_fk foreign key (execution_id) references execution (id)
);

-- Content of artifacts in chunks of at most 512 KB.
create table if not exists artifact_chunk (
    execution_id uuid    not null,
    name         varchar not null,
    chunk_index  integer not null,
    content      bytea   not null,
    constraint artifact_chunk_pk primary key (execution_id, name, chunk_index),
    constraint artifact_chunk_fk foreign key (execution_id, name) references artifact (execution_id, name)
);

-- Executions whose spans are not exported yet. Rows are written with the execution, so that the loss of a node loses no
-- spans.
create table if not exists span_export (
    execution_id uuid not null,
    constraint span_export_pk primary key (execution_id),
    constraint span_export_fk foreign key (execution_id) references execution (id)
);
