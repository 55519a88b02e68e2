-- Values that backends need and nobody is shown. They are sealed with a key that is not in the database.
create table secret (
    tenant     varchar not null,
    name       varchar(64) not null,
    version    integer not null,
    key_id     varchar(16) not null,
    sealed     text not null,
    created_at timestamp(6) with time zone not null,
    created_by varchar not null,
    changed_at timestamp(6) with time zone not null,
    changed_by varchar not null,
    used_at    timestamp(6) with time zone,
    used_by    varchar,
    constraint secret_pk primary key (tenant, name)
);

-- Whose secrets a backend's settings refer to: those of the tenant whose administrator configured it last.
alter table backend add column tenant varchar default 'default' not null;
