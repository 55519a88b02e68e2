-- URLs that are notified when an execution has ended, and the result of the deliveries.
create table if not exists callback (
    execution_id  uuid                        not null,
    tenant        varchar                     not null,
    url           varchar                     not null,
    host          varchar                     not null,
    -- WAITING (the execution has not ended), DUE, DELIVERED or FAILED.
    state         varchar(10)                 default 'WAITING' not null,
    -- Attempts since due_since.
    attempts      integer                     default 0 not null,
    -- The time of the next check whether the execution has ended, or of the next attempt.
    next_check_at timestamp(6) with time zone default current_timestamp not null,
    -- The time at which the callback last became due.
    due_since     timestamp(6) with time zone,
    -- The result of the last attempt: an HTTP status, or the failure that prevented one.
    status        integer,
    failure       varchar,
    finished_at   timestamp(6) with time zone,
    created_at    timestamp(6) with time zone default current_timestamp not null,
    constraint callback_pk primary key (execution_id),
    constraint callback_fk foreign key (execution_id) references execution (id)
);

create index if not exists callback_by_next_check on callback (state, next_check_at);
create index if not exists callback_by_tenant on callback (tenant, state, execution_id desc);

-- Salt of a tenant's signing secret, which is derived from it with a key that is not in the database.
create table if not exists callback_secret (
    tenant         varchar                     not null,
    salt           varchar(64)                 not null,
    -- Fingerprint of the secret that was shown. A node compares it with that of the secret that it derives.
    fingerprint    varchar(64)                 not null,
    -- The previous salt. Its secret also signs until this time.
    previous_salt  varchar(64),
    previous_until timestamp(6) with time zone,
    created_at     timestamp(6) with time zone default current_timestamp not null,
    constraint callback_secret_pk primary key (tenant)
);

-- Inbound webhooks: addresses with which systems without a key run a capability or emit an event.
create table if not exists inbound_webhook (
    id               uuid                        not null,
    tenant           varchar                     not null,
    name             varchar                     not null,
    -- SHA-256 of the token in the address, hexadecimal. The token itself is not stored.
    token_hash       varchar(64)                 not null,
    -- Either a capability or an event.
    capability       varchar,
    version          varchar,
    event_name       varchar,
    -- How deliveries are signed, and the name of the secret; null if they are not.
    signature_scheme varchar(16),
    signature_header varchar(100),
    secret           varchar(64),
    delivery_header  varchar(100)                not null,
    owner            varchar                     not null,
    grants           text                        not null,
    enabled          boolean                     not null,
    created_at       timestamp(6) with time zone not null,
    last_used_at     timestamp(6) with time zone,
    last_result      varchar,
    constraint inbound_webhook_pk primary key (id),
    constraint inbound_webhook_target check (capability is null or event_name is null)
);

create unique index if not exists inbound_webhook_by_name on inbound_webhook (tenant, name);
create unique index if not exists inbound_webhook_by_token on inbound_webhook (token_hash);

-- Genuine signatures with a time, so that a recorded delivery is not accepted again under another id.
create table if not exists inbound_webhook_signature (
    webhook_id     uuid                        not null,
    -- SHA-256 of the signature, hexadecimal.
    signature_hash varchar(64)                 not null,
    -- The id of the delivery that had the signature first; empty if it had none.
    delivery_id    varchar(200)                not null,
    -- The signature is too old after this time, so its row is no longer needed.
    expires_at     timestamp(6) with time zone not null,
    constraint inbound_webhook_signature_pk primary key (webhook_id, signature_hash),
    constraint inbound_webhook_signature_fk foreign key (webhook_id) references inbound_webhook (id) on delete cascade
);

create index if not exists inbound_webhook_signature_by_expiry on inbound_webhook_signature (webhook_id, expires_at);
