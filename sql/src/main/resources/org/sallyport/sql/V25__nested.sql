-- Executions that a call of another one began.

-- Whose call it answers; null for nearly all.
alter table execution add column parent varchar(36);

create table nested_run (
    execution_id uuid    not null,
    parent_id    uuid    not null,
    call_ordinal bigint  not null,
    -- The execution that nobody nested.
    root_id      uuid    not null,
    depth        integer not null,
    -- Names of the capabilities that run above it, apart by commas.
    path         varchar not null,
    constraint nested_run_pk primary key (execution_id),
    -- Whatever dies: one execution for each call.
    constraint nested_run_call unique (parent_id, call_ordinal),
    constraint nested_run_of foreign key (execution_id) references execution (id)
);

create index nested_run_by_root on nested_run (root_id);

-- Those of them whose end, or whose parent's end, is still to come: few, and looked through now and then.
create table nested_open (
    execution_id uuid not null,
    parent_id    uuid not null,
    constraint nested_open_pk primary key (execution_id),
    constraint nested_open_of foreign key (execution_id) references execution (id)
);
