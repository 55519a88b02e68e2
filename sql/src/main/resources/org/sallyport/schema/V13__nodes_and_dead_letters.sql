-- One row per node: its lease, during which it may run executions.
create table if not exists node (
    id          varchar                     not null,
    -- The incarnation of the node that holds the lease.
    incarnation varchar                     not null,
    -- The lease owner: the value of execution.node in executions that the node runs now.
    lease_owner varchar                     not null,
    -- Host and data directory: they differ between two nodes that are configured with the same id.
    host_path   varchar                     not null,
    started_at  timestamp(6) with time zone not null,
    lease_until timestamp(6) with time zone not null,
    -- Number of starts in a row that did not follow a clean stop; -1 after a clean stop.
    unclean_starts integer                  default 0 not null,
    constraint node_pk primary key (id)
);

-- Executions that failed because no node could take their job.
create table if not exists dead_letter (
    execution_id uuid                        not null,
    tenant       varchar                     not null,
    at           timestamp(6) with time zone default current_timestamp not null,
    -- The last execution that a redelivery of this dead letter created.
    replayed_as  varchar(36),
    constraint dead_letter_pk primary key (execution_id),
    constraint dead_letter_fk foreign key (execution_id) references execution (id)
);

create index if not exists dead_letter_by_tenant on dead_letter (tenant, execution_id desc);
