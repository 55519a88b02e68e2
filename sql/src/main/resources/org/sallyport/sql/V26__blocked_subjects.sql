-- Whose tokens are not taken for a tenant. Texts go through org.sallyport.store.LosslessText.
create table blocked_subject (
    id         uuid                        not null,
    tenant     varchar                     not null,
    issuer     varchar                     not null,
    subject    varchar                     not null,
    reason     varchar                     not null,
    blocked_by varchar                     not null,
    blocked_at timestamp(6) with time zone not null,
    constraint blocked_subject_pk primary key (id),
    -- Asked for every few seconds by every node that such a subject speaks to.
    constraint blocked_subject_once unique (tenant, issuer, subject)
);

create index blocked_subject_by_tenant on blocked_subject (tenant, id desc);
