-- Scripts that went well and were kept under a name. Names need no encoding, other texts go through org.sallyport.store.LosslessText.

create table script (
    tenant      varchar                     not null,
    name        varchar(100)                not null,
    -- Of language and code, as org.sallyport.script.ScriptHash says: a tenant keeps no script twice.
    hash        varchar(80)                 not null,
    language    varchar(16)                 not null,
    code        text                        not null,
    description varchar                     not null,
    -- The key whose execution it was kept of first.
    keeper      varchar                     not null,
    -- An execution of it that completed. No foreign key: it may be deleted before.
    last_run    varchar(36)                 not null,
    kept_at     timestamp(6) with time zone default current_timestamp not null,
    -- To the minute: whoever runs it a thousand times changes it once.
    used_at     timestamp(6) with time zone default current_timestamp not null,
    constraint script_pk primary key (tenant, name),
    constraint script_content unique (tenant, hash)
);

create index script_by_use on script (tenant, used_at);

-- The name under which the script of an execution is kept, if it is; null for nearly all.
alter table execution_input add column keep_as varchar(100);
-- The name of the kept script that it runs.
alter table execution_input add column script varchar(100);
-- The execution whose answer it was given in place of a run.
alter table execution_input add column cached_from varchar(36);

-- What executions are found by whose answer others may be given: apart from the executions, so that those that asked for it alone pay for an index.
create table result_key (
    execution_id uuid        not null,
    tenant       varchar     not null,
    result_key   varchar(80) not null,
    constraint result_key_pk primary key (execution_id),
    constraint result_key_of foreign key (execution_id) references execution (id)
);

create index result_key_by_key on result_key (tenant, result_key, execution_id desc);
