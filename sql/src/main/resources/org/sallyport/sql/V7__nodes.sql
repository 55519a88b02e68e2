-- One row per node: its right to run executions, for as long as the lease lasts.
create table node (
    id          varchar                     not null,
    -- The life of the node that has the row.
    incarnation varchar                     not null,
    -- What execution.node says of the executions that it runs now.
    holder      varchar                     not null,
    -- Host and data directory: what two nodes with one id cannot share.
    home        varchar                     not null,
    started_at  timestamp(6) with time zone not null,
    lease_until timestamp(6) with time zone not null,
    constraint node_pk primary key (id)
);

-- Whether it goes on when its node is lost.
alter table execution add column durability varchar(8) default 'journal' not null;
-- How many of its runs were lost with their nodes.
alter table execution add column lost_runs integer default 0 not null;
