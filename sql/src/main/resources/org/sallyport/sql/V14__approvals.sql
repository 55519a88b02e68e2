-- What people are asked before executions go on. Texts go through org.sallyport.store.LosslessText.

create table approval (
    id             uuid                        not null,
    tenant         varchar                     not null,
    execution_id   uuid                        not null,
    call_ordinal   bigint                      not null,
    kind           varchar(8)                  not null,
    -- How often the same was asked and answered before.
    round          integer                     not null,
    tool           varchar                     not null,
    arguments      text                        not null,
    -- Of tool and arguments as they were shown.
    hash           varchar(64)                 not null,
    rule           varchar                     not null,
    reason         varchar                     not null,
    approvers      integer                     not null,
    at_expiry      varchar(8)                  not null,
    patience_millis bigint                     not null,
    -- Whose execution it is: the id of a key.
    requester      varchar                     not null,
    state          varchar(8)                  not null,
    created_at     timestamp(6) with time zone default current_timestamp not null,
    expires_at     timestamp(6) with time zone not null,
    decided_at     timestamp(6) with time zone,
    decided_by     varchar,
    note           varchar,
    edited         text,
    result         text,
    whole_execution boolean                    not null,
    -- Whether its execution was woken by it or has heard of it.
    told           boolean                     not null,
    constraint approval_pk primary key (id),
    constraint approval_of foreign key (execution_id) references execution (id)
);

-- Whoever asks the same again finds what was asked.
create unique index approval_of_call on approval (execution_id, call_ordinal, kind, round);
create index approval_by_state on approval (tenant, state, id);
create index approval_by_tenant on approval (tenant, id);
create index approval_by_expiry on approval (state, expires_at);
create index approval_untold on approval (told, state);

-- Who said yes, where more than one must.
create table approval_vote (
    approval_id uuid                        not null,
    voter       varchar                     not null,
    at          timestamp(6) with time zone default current_timestamp not null,
    constraint approval_vote_pk primary key (approval_id, voter),
    constraint approval_vote_of foreign key (approval_id) references approval (id) on delete cascade
);

-- Rules, version by version.
create table policy (
    tenant     varchar                     not null,
    version    bigint                      not null,
    document   text                        not null,
    comment    varchar                     not null,
    author     varchar                     not null,
    created_at timestamp(6) with time zone default current_timestamp not null,
    constraint policy_pk primary key (tenant, version)
);

-- Of what people were asked and said, and of the rule that decided.
alter table trace_event add column approval varchar(36);
alter table trace_event add column approval_kind varchar(8);
alter table trace_event add column rule varchar;
alter table trace_event add column decider varchar;
