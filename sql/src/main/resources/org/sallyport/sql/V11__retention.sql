-- Executions that ended long ago are found and deleted; those whose job the broker gave up are remembered.

-- Of what has ended, when: the sweepers' index then finds the oldest of a state.
update execution set next_check_at = finished_at where next_check_at is null;
alter table execution alter column next_check_at set not null;

-- A client's key goes with its execution.
create index idempotency_key_of on idempotency_key (execution_id);

-- Executions that failed because no runner could take their job.
create table dead_letter (
    execution_id uuid                        not null,
    tenant       varchar                     not null,
    at           timestamp(6) with time zone default current_timestamp not null,
    -- The last execution that was made to do it again.
    replayed_as  varchar(36),
    constraint dead_letter_pk primary key (execution_id),
    constraint dead_letter_of foreign key (execution_id) references execution (id)
);

create index dead_letter_by_tenant on dead_letter (tenant, execution_id desc);
