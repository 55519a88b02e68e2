-- Saved scripts, published scripts, and cached results. Names of saved scripts need no encoding; other texts are
-- encoded by org.sallyport.store.jpa.LosslessText.

-- Scripts that completed and were saved under a name.
create table if not exists script (
    tenant      varchar                     not null,
    name        varchar(100)                not null,
    -- Hash of language and code (org.sallyport.script.ScriptHash): a tenant saves no script twice.
    hash        varchar(80)                 not null,
    language    varchar(16)                 not null,
    code        text                        not null,
    description varchar                     not null,
    -- The API key whose execution first saved it.
    saved_by    varchar                     not null,
    -- A completed execution of the script. No foreign key: the execution may be deleted first.
    last_run    varchar(36)                 not null,
    saved_at    timestamp(6) with time zone default current_timestamp not null,
    -- Truncated to the minute, so that a thousand runs within a minute change the row once.
    used_at     timestamp(6) with time zone default current_timestamp not null,
    constraint script_pk primary key (tenant, name),
    constraint script_content unique (tenant, hash)
);

create index if not exists script_by_use on script (tenant, used_at);

-- Cache keys of results. A separate table, so that only executions that requested caching need an index entry.
create table if not exists result_key (
    execution_id uuid        not null,
    tenant       varchar     not null,
    result_key   varchar(80) not null,
    constraint result_key_pk primary key (execution_id),
    constraint result_key_fk foreign key (execution_id) references execution (id)
);

create index if not exists result_key_by_key on result_key (tenant, result_key, execution_id desc);

-- Published scripts, version by version. Only deprecated_at and deprecation ever change.
create table if not exists capability (
    tenant        varchar                     not null,
    name          varchar(200)                not null,
    version       varchar(100)                not null,
    language      varchar(16)                 not null,
    code          text                        not null,
    tests         text,
    description   varchar                     not null,
    input_schema  text,
    output_schema text,
    tools         text                        not null,
    env           text                        not null,
    -- Hash of the columns from name to env, and of sandbox.
    hash          varchar(80)                 not null,
    publisher     varchar                     not null,
    -- The execution that ran its tests. No foreign key: the execution may be deleted first.
    test_run      varchar(36),
    published_at  timestamp(6) with time zone default current_timestamp not null,
    deprecated_at timestamp(6) with time zone,
    deprecation   varchar,
    -- The tools of the version at the time of publication: a JSON object from the name of each tool to the hash of its
    -- schemas. Null means none.
    contract      text,
    -- Where its executions run: process or in-process. Null means where the installation runs scripts.
    sandbox       varchar(16),
    constraint capability_pk primary key (tenant, name, version)
);

-- The tools that executions of a version have used, with the hash of their schemas at the last use.
create table if not exists capability_tool (
    tenant       varchar                     not null,
    name         varchar(200)                not null,
    version      varchar(100)                not null,
    tool         varchar(1300)               not null,
    hash         varchar(64)                 not null,
    -- The first use with this hash.
    hash_since   timestamp(6) with time zone not null,
    last_used_at timestamp(6) with time zone not null,
    constraint capability_tool_pk primary key (tenant, name, version, tool)
);

-- The capability that an execution runs. A separate table, so that executions that run none need no index entry.
create table if not exists capability_run (
    execution_id uuid         not null,
    tenant       varchar      not null,
    name         varchar(200) not null,
    version      varchar(100) not null,
    constraint capability_run_pk primary key (execution_id),
    constraint capability_run_fk foreign key (execution_id) references execution (id)
);

create index if not exists capability_run_by_name on capability_run (tenant, name, execution_id desc);
