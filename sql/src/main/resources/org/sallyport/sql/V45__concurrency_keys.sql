-- What executions may not run beside each other for, and whether one still waits for its turn; null for nearly all. May be done
-- again, all of this: H2 keeps each step over a death.
alter table execution add column if not exists concurrency_key varchar;
alter table execution add column if not exists awaits_turn boolean;

-- Executions with a key that have not ended, and some that have. A table of its own, so that others pay for no index.
create table if not exists concurrency_turn (
    execution_id uuid       not null,
    tenant       varchar    not null,
    name         varchar    not null,
    -- That of the execution: who has asked goes in its order.
    priority     integer    not null,
    -- NEW: nobody has wanted to run it; ASKS: somebody has, when others had all turns; HAS: has one until it has ended.
    standing     varchar(4) not null,
    constraint concurrency_turn_pk primary key (execution_id),
    constraint concurrency_turn_of foreign key (execution_id) references execution (id) on delete cascade
);

create index if not exists concurrency_turn_by_name on concurrency_turn (tenant, name, standing, priority desc, execution_id);
create index if not exists concurrency_turn_by_standing on concurrency_turn (standing, tenant, name);

-- Whoever gives turns of a key holds one of these: keys are the clients', and would leave a row behind each.
create table if not exists concurrency_lock (
    slot integer not null,
    constraint concurrency_lock_pk primary key (slot)
);

insert into concurrency_lock (slot)
    select n.slot from (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15)) as n (slot)
    where not exists (select 1 from concurrency_lock);
