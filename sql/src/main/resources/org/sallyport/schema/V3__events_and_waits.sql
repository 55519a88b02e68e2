-- Events for the scripts of a tenant, and wait conditions of parked executions. Texts and names are encoded by
-- org.sallyport.store.jpa.LosslessText.

-- The sequence number of a tenant's last event. The row is locked while an event is added, so that events become
-- visible in the order of their numbers.
create table if not exists event_sequence (
    tenant   varchar not null,
    last_seq bigint  not null,
    constraint event_sequence_pk primary key (tenant)
);

create table if not exists event (
    tenant       varchar                     not null,
    seq          bigint                      not null,
    name         varchar                     not null,
    data         text                        not null,
    -- The call that emitted the event, if a script did.
    execution_id uuid,
    call_ordinal bigint,
    at           timestamp(6) with time zone default current_timestamp not null,
    -- The caller that emitted the event, and its idempotency key, if no script did.
    emitted_by   varchar,
    client_key   varchar,
    body_hash    varchar,
    constraint event_pk primary key (tenant, seq)
);

create index if not exists event_by_name on event (tenant, name, seq);
-- A call that is repeated after a crash adds no second event.
create unique index if not exists event_by_call on event (execution_id, call_ordinal);
-- A request that is repeated with its idempotency key adds no second event.
create unique index if not exists event_by_client_key on event (tenant, client_key);
-- For retention.
create index if not exists event_by_time on event (at);

-- Parked executions wait for events of this name after this sequence number. Deleted when the execution resumes.
create table if not exists event_wait (
    execution_id uuid    not null,
    name         varchar not null,
    tenant       varchar not null,
    after_seq    bigint  not null,
    constraint event_wait_pk primary key (execution_id, name),
    constraint event_wait_fk foreign key (execution_id) references execution (id) on delete cascade
);

create index if not exists event_wait_by_name on event_wait (tenant, name, after_seq);

-- The lease owner whose node receives the replies that a parked execution waits for. Deleted when the execution
-- resumes.
create table if not exists tool_wait (
    execution_id uuid    not null,
    node         varchar not null,
    constraint tool_wait_pk primary key (execution_id),
    constraint tool_wait_fk foreign key (execution_id) references execution (id) on delete cascade
);

create index if not exists tool_wait_by_node on tool_wait (node);
