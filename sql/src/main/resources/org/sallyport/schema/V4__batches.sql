-- Executions that were submitted together.
create table if not exists batch (
    id           uuid                        not null,
    tenant       varchar                     not null,
    submitter    varchar                     not null,
    total        integer                     not null,
    -- Items for which no execution was created.
    refused      integer                     not null,
    -- Items that are answered by the execution of an equal item.
    coalesced    integer                     not null,
    -- Maximum number of its executions that are in progress at one time; null for no limit.
    max_parallel integer,
    on_failure   varchar(8)                  not null,
    -- Whether the batch must still be advanced: its next executions released, or the rest cancelled.
    active       boolean                     not null,
    -- Why its executions that had not started were cancelled: failure, caller or schedule (its next run was due).
    -- Null if they were not.
    stop_reason  varchar(8),
    -- The caller who cancelled the batch, and why. Null if none did.
    cancelled_by varchar,
    cancel_reason varchar,
    -- The batch whose failed executions this one runs again.
    retry_of     varchar(36),
    -- The capability that the batch names for all its items, as name@version.
    capability   varchar,
    -- Names of the columns of its rows, as a JSON array. Null if its items are not rows.
    row_columns  text,
    created_at   timestamp(6) with time zone default current_timestamp not null,
    constraint batch_pk primary key (id)
);

create index if not exists batch_by_active on batch (active, id);
create index if not exists batch_by_tenant on batch (tenant, id desc);

-- The execution or the problem of each item. No foreign key to the execution, which may be deleted first.
create table if not exists batch_item (
    batch_id     uuid       not null,
    item_index   integer    not null,
    execution_id uuid,
    problem      text,
    -- UNBOUNDED: may run. QUEUED: may not run yet. ACTIVE: counts as in progress. DONE: was in progress, or never will
    -- be. An item that the execution of an equal item answers is DONE.
    status       varchar(9) not null,
    -- The state in which the execution ended. Set when the execution is deleted.
    final_state  varchar(16),
    constraint batch_item_pk primary key (batch_id, item_index),
    constraint batch_item_fk foreign key (batch_id) references batch (id),
    constraint batch_item_execution_or_problem check ((execution_id is null) <> (problem is null))
);

-- The row of which an item was made, as JSON, if the batch has rows. In a table of its own, because H2 reads a row with
-- all its texts, and items are counted and change often.
create table if not exists batch_row (
    batch_id   uuid    not null,
    item_index integer not null,
    source_row text    not null,
    constraint batch_row_pk primary key (batch_id, item_index),
    constraint batch_row_fk foreign key (batch_id) references batch (id)
);

create index if not exists batch_item_by_status on batch_item (batch_id, status, item_index);
-- PostgreSQL has no statistics about a batch that was just stored: without this index it may search all ten thousand
-- items for each of ten thousand executions.
create index if not exists batch_item_by_execution on batch_item (batch_id, execution_id);
