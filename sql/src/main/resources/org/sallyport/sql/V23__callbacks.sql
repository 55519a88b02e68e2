-- Who is told when an execution has ended, and what became of it.

create table callback (
    execution_id uuid                        not null,
    tenant       varchar                     not null,
    url          varchar                     not null,
    host         varchar                     not null,
    -- WAITING for its execution to end; DUE; DELIVERED; FAILED.
    state        varchar(10)                 default 'WAITING' not null,
    -- Since it was last made due.
    attempts     integer                     default 0 not null,
    -- When to look whether its execution has ended, or to send it (again).
    look_at      timestamp(6) with time zone default current_timestamp not null,
    -- When it was last made due.
    due_since    timestamp(6) with time zone,
    -- What came back last: an HTTP status, or what went wrong before there was one.
    status       integer,
    failure      varchar,
    done_at      timestamp(6) with time zone,
    created_at   timestamp(6) with time zone default current_timestamp not null,
    constraint callback_pk primary key (execution_id),
    constraint callback_of foreign key (execution_id) references execution (id)
);

create index callback_by_look on callback (state, look_at);
create index callback_by_tenant on callback (tenant, state, execution_id desc);

-- What a tenant's signing secret is derived from, with a key that is not in the database.
create table callback_secret (
    tenant         varchar                     not null,
    salt           varchar(64)                 not null,
    -- Tells whether the secret that is derived here is the one that was shown.
    print          varchar(64)                 not null,
    -- The one before, which signs too until then.
    previous_salt  varchar(64),
    previous_until timestamp(6) with time zone,
    created_at     timestamp(6) with time zone default current_timestamp not null,
    constraint callback_secret_pk primary key (tenant)
);

-- Whether somebody is told; null for nearly all.
alter table execution_input add column callback varchar;
