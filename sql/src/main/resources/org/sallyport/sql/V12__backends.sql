-- Backends as they were configured; what they are doing is known to each node alone.
create table backend (
    name     varchar(63) not null,
    kind     varchar(32) not null,
    settings text        not null,
    enabled  boolean     not null,
    origin   varchar(16) not null,
    version  varchar(64) not null,
    constraint backend_pk primary key (name)
);

-- Their tools as they were first seen or last accepted, and what their servers declare now where that differs.
create table backend_tool (
    backend    varchar(63)  not null,
    name       varchar(160) not null,
    definition text         not null,
    pending    text,
    present    boolean      not null,
    constraint backend_tool_pk primary key (backend, name)
);
