-- Credentials: API keys, sessions of the console, and blocked subjects of tokens. Texts are encoded by
-- org.sallyport.store.jpa.LosslessText.

-- API keys. The key itself is never stored, only its hash.
create table if not exists api_key (
    id           varchar                     not null,
    tenant       varchar                     not null,
    name         varchar                     not null,
    hash         varchar                     not null,
    roles        varchar                     not null,
    expires_at   timestamp(6) with time zone,
    -- The tools that requests with this key may call, as a list of globs. Null means every tool.
    grants       varchar,
    -- The last use that a node has recorded.
    last_used_at timestamp(6) with time zone,
    constraint api_key_pk primary key (id)
);

create index if not exists api_key_by_tenant on api_key (tenant, id);

-- Sessions of the console. The token that the browser holds is never stored, only its hash.
create table if not exists console_session (
    hash       varchar                     not null,
    key_id     varchar                     not null,
    expires_at timestamp(6) with time zone not null,
    -- The user that logged in at an identity provider. Null in sessions that an API key opened.
    issuer     varchar,
    subject    varchar,
    tenant     varchar,
    roles      varchar,
    name       varchar,
    constraint console_session_pk primary key (hash)
);

create index if not exists console_session_by_end on console_session (expires_at);
create index if not exists console_session_by_key on console_session (key_id);

-- Subjects whose tokens are refused for a tenant.
create table if not exists blocked_subject (
    id         uuid                        not null,
    tenant     varchar                     not null,
    issuer     varchar                     not null,
    subject    varchar                     not null,
    reason     varchar                     not null,
    blocked_by varchar                     not null,
    blocked_at timestamp(6) with time zone not null,
    constraint blocked_subject_pk primary key (id),
    -- Each node reads this every few seconds for the subjects that send requests to it.
    constraint blocked_subject_once unique (tenant, issuer, subject)
);

create index if not exists blocked_subject_by_tenant on blocked_subject (tenant, id desc);
