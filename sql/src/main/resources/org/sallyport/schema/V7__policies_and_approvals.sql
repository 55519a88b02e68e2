-- Policies of tenants, and approvals that executions wait for. Texts are encoded by
-- org.sallyport.store.jpa.LosslessText.

-- Policy documents, version by version.
create table if not exists policy (
    tenant     varchar                     not null,
    version    bigint                      not null,
    document   text                        not null,
    comment    varchar                     not null,
    author     varchar                     not null,
    created_at timestamp(6) with time zone default current_timestamp not null,
    constraint policy_pk primary key (tenant, version)
);

create table if not exists approval (
    id                   uuid                        not null,
    tenant               varchar                     not null,
    execution_id         uuid                        not null,
    call_ordinal         bigint                      not null,
    kind                 varchar(8)                  not null,
    -- Number of approvals of the same call that were decided before this one.
    round                integer                     not null,
    tool                 varchar                     not null,
    arguments            text                        not null,
    -- Hash of the tool and the arguments that were shown to the approver.
    hash                 varchar(64)                 not null,
    rule                 varchar                     not null,
    reason               varchar                     not null,
    approvers            integer                     not null,
    at_expiry            varchar(8)                  not null,
    timeout_millis       bigint                      not null,
    -- The id of the API key that submitted the execution.
    requester            varchar                     not null,
    state                varchar(8)                  not null,
    created_at           timestamp(6) with time zone default current_timestamp not null,
    expires_at           timestamp(6) with time zone not null,
    decided_at           timestamp(6) with time zone,
    decided_by           varchar,
    note                 varchar,
    edited               text,
    result               text,
    whole_execution      boolean                     not null,
    -- True after the decision has resumed the execution, or after the execution has read the decision.
    notified             boolean                     not null,
    -- When approvers are reminded of an approval that is not decided.
    remind_before_millis bigint                      default 0 not null,
    remind_every_millis  bigint                      default 0 not null,
    remind_times         integer                     default 0 not null,
    -- The next reminder; null if there will be no more.
    remind_at            timestamp(6) with time zone,
    -- Number of reminders that were sent, and the time of the last one.
    reminded             integer                     default 0 not null,
    reminded_at          timestamp(6) with time zone,
    -- The result of the call at expiry, if the rule names one.
    value_at_expiry      text,
    constraint approval_pk primary key (id),
    constraint approval_fk foreign key (execution_id) references execution (id)
);

-- A repeated request finds the approval that it created.
create unique index if not exists approval_by_call on approval (execution_id, call_ordinal, kind, round);
create index if not exists approval_newest_by_state on approval (tenant, state, id desc);
create index if not exists approval_newest on approval (tenant, id desc);
create index if not exists approval_by_expiry on approval (state, expires_at);
create index if not exists approval_to_notify on approval (notified, state);
create index if not exists approval_to_remind on approval (remind_at);

-- Votes of approvers, for approvals that need more than one vote.
create table if not exists approval_vote (
    approval_id uuid                        not null,
    voter       varchar                     not null,
    at          timestamp(6) with time zone default current_timestamp not null,
    constraint approval_vote_pk primary key (approval_id, voter),
    constraint approval_vote_fk foreign key (approval_id) references approval (id) on delete cascade
);

-- Links that decide an approval without a login. Each works once. The secret of a link is not stored.
create table if not exists approval_link (
    id          uuid                        not null,
    tenant      varchar                     not null,
    approval_id uuid                        not null,
    -- Hash of the secret and of all values to which the link is bound.
    seal        varchar(64)                 not null,
    -- The user as whom the link decides: the id of an API key, or the id of a token bearer with its issuer and subject.
    maker       varchar                     not null,
    issuer      varchar,
    subject     varchar,
    created_at  timestamp(6) with time zone default current_timestamp not null,
    expires_at  timestamp(6) with time zone not null,
    used_at     timestamp(6) with time zone,
    constraint approval_link_pk primary key (id),
    constraint approval_link_fk foreign key (approval_id) references approval (id) on delete cascade
);

create index if not exists approval_link_by_approval on approval_link (approval_id);
