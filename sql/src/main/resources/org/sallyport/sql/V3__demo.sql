-- What the demo backend remembers, per tenant.
create table demo_value (
    tenant   varchar not null,
    item_key varchar not null,
    content  text    not null,
    constraint demo_value_pk primary key (tenant, item_key)
);

create table demo_count (
    tenant varchar not null,
    name   varchar not null,
    total  bigint  not null,
    calls  bigint  not null,
    constraint demo_count_pk primary key (tenant, name)
);

-- The calls that raised a count; position is the order in which they did.
create table demo_ledger (
    tenant   varchar not null,
    name     varchar not null,
    call_id  varchar not null,
    position bigint  not null,
    constraint demo_ledger_pk primary key (tenant, name, call_id)
);

create sequence demo_mail_seq start with 1 increment by 1;

create table demo_mail (
    id      bigint  not null,
    tenant  varchar not null,
    call_id varchar not null,
    content text    not null,
    constraint demo_mail_pk primary key (id)
);

create index demo_mail_by_tenant on demo_mail (tenant, id);
