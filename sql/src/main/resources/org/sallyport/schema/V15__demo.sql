-- Data of the demo backend, per tenant.
create table if not exists demo_value (
    tenant   varchar not null,
    item_key varchar not null,
    content  text    not null,
    constraint demo_value_pk primary key (tenant, item_key)
);

create table if not exists demo_count (
    tenant varchar not null,
    name   varchar not null,
    total  bigint  not null,
    calls  bigint  not null,
    constraint demo_count_pk primary key (tenant, name)
);

-- The calls that incremented a counter, in the order of position.
create table if not exists demo_ledger (
    tenant   varchar not null,
    name     varchar not null,
    call_id  varchar not null,
    position bigint  not null,
    constraint demo_ledger_pk primary key (tenant, name, call_id)
);

create index if not exists demo_ledger_newest on demo_ledger (tenant, name, position desc);

create sequence if not exists demo_mail_seq start with 1 increment by 1;

create table if not exists demo_mail (
    id      bigint  not null,
    tenant  varchar not null,
    call_id varchar not null,
    content text    not null,
    constraint demo_mail_pk primary key (id)
);

create index if not exists demo_mail_newest on demo_mail (tenant, id desc);
-- A repeated call stores its mail only once.
create unique index if not exists demo_mail_by_call on demo_mail (tenant, call_id);
