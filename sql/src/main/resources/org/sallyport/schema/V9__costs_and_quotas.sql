-- Costs of calls, in millionths of the unit of a tenant, and quotas of tenants. Texts are encoded by
-- org.sallyport.store.jpa.LosslessText.

-- Charged calls. One row per call, even if several attempts repeat it; none for calls that cost nothing.
create table if not exists call_cost (
    execution_id uuid        not null,
    call_ordinal bigint      not null,
    -- The last attempt that made the call.
    attempt      integer     not null,
    tool         varchar     not null,
    cost         bigint      not null,
    -- The day on which the call was charged, such as 2026-11-23.
    on_day       varchar(10) not null,
    constraint call_cost_pk primary key (execution_id, call_ordinal),
    constraint call_cost_fk foreign key (execution_id) references execution (id)
);

-- Used amounts of the budgets of a tenant ('' as budget key) and of each of its keys, per day (2026-11-23) and per month
-- (2026-11).
create table if not exists cost_total (
    tenant     varchar                     not null,
    budget_key varchar                     not null,
    period     varchar(10)                 not null,
    cost       bigint                      not null,
    ends_at    timestamp(6) with time zone not null,
    constraint cost_total_pk primary key (tenant, budget_key, period)
);

-- Daily costs for reports. They are kept longer than executions.
create table if not exists cost_day (
    tenant    varchar     not null,
    on_day    varchar(10) not null,
    submitter varchar     not null,
    tool      varchar     not null,
    cost      bigint      not null,
    calls     bigint      not null,
    constraint cost_day_pk primary key (tenant, on_day, submitter, tool)
);

create index if not exists cost_day_by_day on cost_day (on_day);

-- Quotas of tenants that replace the settings of the installation.
create table if not exists tenant_quota (
    tenant    varchar                     not null,
    quota     varchar(16)                 not null,
    max_value bigint                      not null,
    set_by    varchar                     not null,
    set_at    timestamp(6) with time zone not null,
    constraint tenant_quota_pk primary key (tenant, quota)
);

-- Number of calls per day that nodes have reserved, for tenants with a quota of calls.
create table if not exists call_count (
    tenant varchar     not null,
    on_day varchar(10) not null,
    calls  bigint      not null,
    constraint call_count_pk primary key (tenant, on_day)
);
