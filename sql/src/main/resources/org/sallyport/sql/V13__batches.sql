-- Many executions that were submitted together.

create table batch (
    id           uuid                        not null,
    tenant       varchar                     not null,
    submitter    varchar                     not null,
    total        integer                     not null,
    -- Items of which nothing was made.
    refused      integer                     not null,
    -- How many of its executions may be under way at one time; null for no bound.
    max_parallel integer,
    on_failure   varchar(8)                  not null,
    -- Whether somebody must see to it that the next executions begin.
    advancing    boolean                     not null,
    -- Whether what had not begun when it was to stop was cancelled, and who wanted it.
    stopped      varchar(8),
    -- The batch whose failed executions these are again.
    retry_of     varchar(36),
    created_at   timestamp(6) with time zone default current_timestamp not null,
    constraint batch_pk primary key (id)
);

create index batch_by_advancing on batch (advancing, id);
create index batch_by_tenant on batch (tenant, id desc);

-- What became of each item. No foreign key to the execution: that may be deleted first.
create table batch_item (
    batch_id     uuid       not null,
    item_index   integer    not null,
    execution_id uuid,
    problem      text,
    -- FREE: runs when it can; HELD: may not yet; SENT: counts as under way; OVER: was under way, or never will be.
    standing     varchar(4) not null,
    constraint batch_item_pk primary key (batch_id, item_index),
    constraint batch_item_of foreign key (batch_id) references batch (id),
    constraint batch_item_what check ((execution_id is null) <> (problem is null))
);

create index batch_item_by_standing on batch_item (batch_id, standing, item_index);

-- A text: EclipseLink reads no UUID that is null. No index: whoever looks for the executions of a batch has its items.
alter table execution add column batch_id varchar(36);
