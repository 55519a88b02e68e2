-- Who did what. Nothing of it is ever changed; what was kept long enough is deleted. Texts go through org.sallyport.store.LosslessText.

-- Written before the deed.
create table audit_entry (
    tenant  varchar                     not null,
    id      uuid                        not null,
    at      timestamp(6) with time zone default current_timestamp not null,
    -- Id of a key; empty for somebody unknown.
    actor   varchar                     not null,
    -- REST, CONSOLE or MCP.
    door    varchar(8)                  not null,
    address varchar                     not null,
    action  varchar(64)                 not null,
    object  varchar                     not null,
    constraint audit_entry_pk primary key (tenant, id)
);

create index audit_entry_by_actor on audit_entry (tenant, actor, id);
create index audit_entry_by_action on audit_entry (tenant, action, id);
create index audit_entry_by_object on audit_entry (tenant, object, id);
-- Retention.
create index audit_entry_by_time on audit_entry (at);

-- Written after it. An entry without one: the service ended between.
create table audit_result (
    tenant   varchar                     not null,
    entry_id uuid                        not null,
    at       timestamp(6) with time zone default current_timestamp not null,
    -- DONE, REFUSED or FAILED.
    result   varchar(8)                  not null,
    status   integer                     not null,
    -- What was made, where the deed made something.
    object   varchar                     not null,
    note     varchar                     not null,
    constraint audit_result_pk primary key (tenant, entry_id),
    constraint audit_result_of foreign key (tenant, entry_id) references audit_entry (tenant, id)
);

create index audit_result_by_object on audit_result (tenant, object, entry_id);
