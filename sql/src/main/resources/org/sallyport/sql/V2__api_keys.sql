-- Keys of callers; the key itself is never stored.
create table api_key (
    id         varchar not null,
    tenant     varchar not null,
    name       varchar not null,
    hash       varchar not null,
    roles      varchar not null,
    expires_at timestamp(6) with time zone,
    constraint api_key_pk primary key (id)
);

create index api_key_by_tenant on api_key (tenant, id);
