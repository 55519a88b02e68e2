-- Configuration of the backends. Each node keeps the state of its own connections in memory.
create table if not exists backend (
    name       varchar(63)  not null,
    -- The identifier in scripts, assigned when the backend is added.
    identifier varchar(160) not null,
    kind       varchar(32)  not null,
    settings   text         not null,
    enabled    boolean      not null,
    origin     varchar(16)  not null,
    version    varchar(64)  not null,
    -- The tenant whose secrets the settings refer to: the tenant of the administrator who configured the backend last.
    tenant     varchar      default 'default' not null,
    constraint backend_pk primary key (name),
    constraint backend_identifier_once unique (identifier)
);

-- Tools of backends: the definition that was first received or last accepted, and in `pending` the definition that the
-- server declares now, if it differs. The name and the identifier are assigned when the tool is first declared. Its row
-- stays until the backend is removed, so that no other tool gets them.
create table if not exists backend_tool (
    backend    varchar(63)  not null,
    name       varchar(160) not null,
    identifier varchar(160) not null,
    definition text         not null,
    pending    text,
    available  boolean      not null,
    constraint backend_tool_pk primary key (backend, name),
    constraint backend_tool_identifier_once unique (backend, identifier)
);

-- Secrets of backends, which the service shows to no user. They are encrypted with a key that is not in the database.
create table if not exists secret (
    tenant     varchar                     not null,
    name       varchar(64)                 not null,
    version    integer                     not null,
    key_id     varchar(16)                 not null,
    sealed     text                        not null,
    created_at timestamp(6) with time zone not null,
    created_by varchar                     not null,
    changed_at timestamp(6) with time zone not null,
    changed_by varchar                     not null,
    used_at    timestamp(6) with time zone,
    used_by    varchar,
    constraint secret_pk primary key (tenant, name)
);

-- Variables that capabilities declare and their scripts see: either a value, or the name of the secret that holds it.
create table if not exists tenant_variable (
    tenant     varchar                     not null,
    name       varchar(200)                not null,
    value_text text,
    secret     varchar(64),
    version    integer                     not null,
    changed_at timestamp(6) with time zone not null,
    changed_by varchar                     not null,
    constraint tenant_variable_pk primary key (tenant, name),
    constraint tenant_variable_source check (value_text is null or secret is null)
);
