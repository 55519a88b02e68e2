-- What scripts keep with their execution, and what they tell the other scripts of their tenant.

-- Texts go through org.sallyport.store.LosslessText, names too.
create table artifact (
    execution_id uuid                        not null,
    name         varchar                     not null,
    kind         varchar(8)                  not null,
    content_type varchar                     not null,
    size_bytes   bigint                      not null,
    created_at   timestamp(6) with time zone default current_timestamp not null,
    constraint artifact_pk primary key (execution_id, name),
    constraint artifact_of foreign key (execution_id) references execution (id)
);

-- Content in pieces: H2 keeps no more than 1 MB in one bytea.
create table artifact_piece (
    execution_id uuid    not null,
    name         varchar not null,
    piece        integer not null,
    content      bytea   not null,
    constraint artifact_piece_pk primary key (execution_id, name, piece),
    constraint artifact_piece_of foreign key (execution_id, name) references artifact (execution_id, name)
);

-- The number of a tenant's last event; locked while one is added, so that numbers become visible in their order.
create table event_head (
    tenant   varchar not null,
    last_seq bigint  not null,
    constraint event_head_pk primary key (tenant)
);

create table event (
    tenant       varchar                     not null,
    seq          bigint                      not null,
    name         varchar                     not null,
    data         text                        not null,
    execution_id uuid                        not null,
    call_ordinal bigint                      not null,
    at           timestamp(6) with time zone default current_timestamp not null,
    constraint event_pk primary key (tenant, seq)
);

create index event_by_name on event (tenant, name, seq);
-- A call that is made again after a crash emits nothing twice.
create unique index event_of_call on event (execution_id, call_ordinal);
-- Retention.
create index event_by_time on event (at);

-- How far a script says it is.
alter table execution add progress_permille smallint;
alter table execution add progress_text varchar;
