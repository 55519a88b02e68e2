-- In which distributed trace an execution runs: a traceparent, and its tracestate behind a semicolon. Null where there are no traces.
alter table execution_input add column trace_context varchar(600);

-- Whose spans are yet to be sent. Written with the execution, so that the end of a node loses none.
create table span_export (
    execution_id uuid not null,
    constraint span_export_pk primary key (execution_id),
    constraint span_export_of foreign key (execution_id) references execution (id)
);
