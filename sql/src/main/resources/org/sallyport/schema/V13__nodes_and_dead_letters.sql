-- One row per node: its right to run executions, for as long as the lease lasts.
create table if not exists node (
    id          varchar                     not null,
    -- The incarnation of the node that has the row.
    incarnation varchar                     not null,
    -- The lease owner: the value of execution.node in executions that it runs now.
    holder      varchar                     not null,
    -- Host and data directory: two nodes with one id cannot share them.
    home        varchar                     not null,
    started_at  timestamp(6) with time zone not null,
    lease_until timestamp(6) with time zone not null,
    constraint node_pk primary key (id)
);

-- Executions that failed because no node could take their job.
create table if not exists dead_letter (
    execution_id uuid                        not null,
    tenant       varchar                     not null,
    at           timestamp(6) with time zone default current_timestamp not null,
    -- The last execution that was created to do the same again.
    replayed_as  varchar(36),
    constraint dead_letter_pk primary key (execution_id),
    constraint dead_letter_of foreign key (execution_id) references execution (id)
);

create index if not exists dead_letter_by_tenant on dead_letter (tenant, execution_id desc);
