-- What calls cost, in millionths of whatever a tenant reckons in. Texts go through org.sallyport.store.LosslessText.

-- What an execution may cost by the word of who submitted it; null for nearly all.
alter table execution_input add column cost_limit bigint;
-- What its calls cost, and those of executions that they began; null for nearly all.
alter table execution add column cost bigint;

-- A call that was charged. One row for each, whoever repeats it; none for calls that cost nothing.
create table call_cost (
    execution_id uuid        not null,
    call_ordinal bigint      not null,
    -- The run that made it last.
    attempt      integer     not null,
    tool         varchar     not null,
    cost         bigint      not null,
    -- In which it was charged: 2026-11-23.
    on_day       varchar(10) not null,
    constraint call_cost_pk primary key (execution_id, call_ordinal),
    constraint call_cost_of foreign key (execution_id) references execution (id)
);

-- How much of budgets is used: of a tenant ('' as holder) and of each of its keys, in a day (2026-11-23) and in a month (2026-11).
create table cost_total (
    tenant  varchar                     not null,
    holder  varchar                     not null,
    period  varchar(10)                 not null,
    cost    bigint                      not null,
    ends_at timestamp(6) with time zone not null,
    constraint cost_total_pk primary key (tenant, holder, period)
);

-- For reports, which outlive executions.
create table cost_day (
    tenant    varchar     not null,
    on_day    varchar(10) not null,
    submitter varchar     not null,
    tool      varchar     not null,
    cost      bigint      not null,
    calls     bigint      not null,
    constraint cost_day_pk primary key (tenant, on_day, submitter, tool)
);

create index cost_day_by_day on cost_day (on_day);

-- What tenants may take up, where it is not what holds for all.
create table tenant_quota (
    tenant varchar                     not null,
    quota  varchar(16)                 not null,
    most   bigint                      not null,
    set_by varchar                     not null,
    set_at timestamp(6) with time zone not null,
    constraint tenant_quota_pk primary key (tenant, quota)
);

-- Calls of a day that were given out to nodes; of tenants that have a quota of them.
create table call_count (
    tenant varchar     not null,
    on_day varchar(10) not null,
    calls  bigint      not null,
    constraint call_count_pk primary key (tenant, on_day)
);
