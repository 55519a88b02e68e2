-- Statistics of tool calls per tenant and week (from Monday): calls and failures of each tool, calls of one tool after
-- another, and tools per word of the intents. Names of tools are encoded by org.sallyport.store.jpa.LosslessText.

create table if not exists tool_graph_tool (
    tenant      varchar                     not null,
    week        integer                     not null,
    tool        varchar                     not null,
    calls       bigint                      not null,
    failures    bigint                      not null,
    millis      bigint                      not null,
    -- Number of scripts that called this tool first.
    first_calls bigint                      not null,
    last_at     timestamp(6) with time zone not null,
    constraint tool_graph_tool_pk primary key (tenant, week, tool)
);

create index if not exists tool_graph_tool_by_week on tool_graph_tool (week);

create table if not exists tool_graph_transition (
    tenant    varchar                     not null,
    week      integer                     not null,
    from_tool varchar                     not null,
    to_tool   varchar                     not null,
    calls     bigint                      not null,
    failures  bigint                      not null,
    last_at   timestamp(6) with time zone not null,
    constraint tool_graph_transition_pk primary key (tenant, week, from_tool, to_tool)
);

create index if not exists tool_graph_transition_by_week on tool_graph_transition (week);

create table if not exists tool_graph_intent (
    tenant  varchar                     not null,
    week    integer                     not null,
    word    varchar                     not null,
    tool    varchar                     not null,
    -- Counts executions, not calls.
    calls   bigint                      not null,
    last_at timestamp(6) with time zone not null,
    constraint tool_graph_intent_pk primary key (tenant, week, word, tool)
);

create index if not exists tool_graph_intent_by_week on tool_graph_intent (week);

-- The last execution that was counted, in the order of their ends. One row, locked by the node that counts.
create table if not exists tool_graph_cursor (
    id         integer                     not null,
    through_at timestamp(6) with time zone not null,
    through_id uuid                        not null,
    constraint tool_graph_cursor_pk primary key (id)
);
