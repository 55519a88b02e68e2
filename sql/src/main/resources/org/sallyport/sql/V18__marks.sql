-- By what executions are found: their labels, the tools that they called, what they repeat. Apart from the executions, so that
-- those that have none pay for no index. Texts go through org.sallyport.store.LosslessText.
create table execution_mark (
    tenant       varchar not null,
    -- What org.sallyport.store.Marks makes of a label, a tool or an id.
    mark         varchar not null,
    execution_id uuid    not null,
    constraint execution_mark_pk primary key (tenant, mark, execution_id),
    constraint execution_mark_of foreign key (execution_id) references execution (id)
);

-- Retention.
create index execution_mark_by_execution on execution_mark (execution_id);

-- Labels of executions from before are not found: they are JSON, which no statement of both databases reads.
insert into execution_mark (tenant, mark, execution_id)
    select tenant, 'rerun:' || rerun_of, id from execution where rerun_of is not null;
insert into execution_mark (tenant, mark, execution_id)
    select distinct e.tenant, 'tool:' || t.tool, e.id
    from trace_event t join execution e on e.id = t.execution_id
    where t.type = 'TOOL_STARTED' and char_length(t.tool) <= 200;
