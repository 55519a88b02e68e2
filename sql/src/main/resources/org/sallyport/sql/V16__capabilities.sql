-- Published scripts, version by version. Nothing of a row is ever changed but the last two columns. Texts go through
-- org.sallyport.store.LosslessText.

create table capability (
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
    -- Of all that stands above.
    hash          varchar(80)                 not null,
    publisher     varchar                     not null,
    -- The execution that ran its tests. No foreign key: it may be deleted before.
    test_run      varchar(36),
    published_at  timestamp(6) with time zone default current_timestamp not null,
    deprecated_at timestamp(6) with time zone,
    deprecation   varchar,
    constraint capability_pk primary key (tenant, name, version)
);

-- Which executions run which: apart from the executions, so that those that run none pay for no index.
create table capability_run (
    execution_id uuid         not null,
    tenant       varchar      not null,
    name         varchar(200) not null,
    version      varchar(100) not null,
    constraint capability_run_pk primary key (execution_id),
    constraint capability_run_of foreign key (execution_id) references execution (id)
);

create index capability_run_by_name on capability_run (tenant, name, execution_id desc);

-- Name and version of what an execution runs, with @ between; null for nearly all.
alter table execution add column capability varchar(301);
-- What its result must be like: a copy, so that its end needs no other row.
alter table execution_input add column output_schema text;
