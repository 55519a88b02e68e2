-- The audit log. Its rows never change; retention deletes them. Texts are encoded by
-- org.sallyport.store.jpa.LosslessText.

-- Written before the action is executed.
create table if not exists audit_entry (
    tenant  varchar                     not null,
    id      uuid                        not null,
    at      timestamp(6) with time zone default current_timestamp not null,
    -- The id of an API key; empty if the actor is unknown.
    actor   varchar                     not null,
    -- REST, CONSOLE, MCP, LINK or SERVICE.
    channel varchar(8)                  not null,
    address varchar                     not null,
    action  varchar(64)                 not null,
    object  varchar                     not null,
    constraint audit_entry_pk primary key (tenant, id)
);

-- Retention.
create index if not exists audit_entry_by_time on audit_entry (at);
create index if not exists audit_entry_newest on audit_entry (tenant, id desc);
create index if not exists audit_entry_newest_by_actor on audit_entry (tenant, actor, id desc);
create index if not exists audit_entry_newest_by_action on audit_entry (tenant, action, id desc);
create index if not exists audit_entry_newest_by_object on audit_entry (tenant, object, id desc);

-- Written after the action. An entry without a result means that the service ended in between.
create table if not exists audit_result (
    tenant   varchar                     not null,
    entry_id uuid                        not null,
    at       timestamp(6) with time zone default current_timestamp not null,
    -- DONE, REFUSED or FAILED.
    result   varchar(8)                  not null,
    status   integer                     not null,
    -- The object that the action created, if it created one.
    object   varchar                     not null,
    note     varchar                     not null,
    constraint audit_result_pk primary key (tenant, entry_id),
    constraint audit_result_fk foreign key (tenant, entry_id) references audit_entry (tenant, id)
);

create index if not exists audit_result_newest_by_object on audit_result (tenant, object, entry_id desc);
