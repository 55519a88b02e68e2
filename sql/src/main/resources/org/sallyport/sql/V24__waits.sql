-- Which events parked executions wait for: of this name, after that number. Gone once the execution goes on.
create table event_wait (
    execution_id uuid    not null,
    name         varchar not null,
    tenant       varchar not null,
    after_seq    bigint  not null,
    constraint event_wait_pk primary key (execution_id, name),
    constraint event_wait_of foreign key (execution_id) references execution (id) on delete cascade
);

create index event_wait_by_name on event_wait (tenant, name, after_seq);

-- To which node come the answers that parked executions wait for. Gone once the execution goes on.
create table tool_wait (
    execution_id uuid    not null,
    node         varchar not null,
    constraint tool_wait_pk primary key (execution_id),
    constraint tool_wait_of foreign key (execution_id) references execution (id) on delete cascade
);

create index tool_wait_by_node on tool_wait (node);
