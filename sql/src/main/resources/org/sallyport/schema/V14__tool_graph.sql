-- Which tools scripts call after which, how often and how successfully, and for which words of their intents: per
-- tenant and week, from Monday. Names of tools go through org.sallyport.store.LosslessText.

create table if not exists tool_graph_tool (
    tenant   varchar                     not null,
    week     integer                     not null,
    tool     varchar                     not null,
    calls    bigint                      not null,
    failures bigint                      not null,
    millis   bigint                      not null,
    -- How many scripts called it first.
    begins   bigint                      not null,
    last_at  timestamp(6) with time zone not null,
    constraint tool_graph_tool_pk primary key (tenant, week, tool)
);

create index if not exists tool_graph_tool_by_week on tool_graph_tool (week);

create table if not exists tool_graph_follow (
    tenant    varchar                     not null,
    week      integer                     not null,
    from_tool varchar                     not null,
    to_tool   varchar                     not null,
    calls     bigint                      not null,
    failures  bigint                      not null,
    last_at   timestamp(6) with time zone not null,
    constraint tool_graph_follow_pk primary key (tenant, week, from_tool, to_tool)
);

create index if not exists tool_graph_follow_by_week on tool_graph_follow (week);

create table if not exists tool_graph_purpose (
    tenant  varchar                     not null,
    week    integer                     not null,
    word    varchar                     not null,
    tool    varchar                     not null,
    -- Executions, not calls.
    calls   bigint                      not null,
    last_at timestamp(6) with time zone not null,
    constraint tool_graph_purpose_pk primary key (tenant, week, word, tool)
);

create index if not exists tool_graph_purpose_by_week on tool_graph_purpose (week);

-- The execution, in the order of their ends, up to which all are counted. One row, locked by the node that counts.
create table if not exists tool_graph_progress (
    id         integer                     not null,
    through_at timestamp(6) with time zone not null,
    through_id uuid                        not null,
    constraint tool_graph_progress_pk primary key (id)
);
