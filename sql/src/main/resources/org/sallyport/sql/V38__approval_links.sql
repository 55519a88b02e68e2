-- By which people decide approvals without logging in, each once. No secret is in it. Texts go through org.sallyport.store.LosslessText.
create table if not exists approval_link (
    id          uuid                        not null,
    tenant      varchar                     not null,
    approval_id uuid                        not null,
    -- Follows from the secret and all that the link is for.
    seal        varchar(64)                 not null,
    -- Whose voice it is: the id of a key, or of who came with a token, whom the issuer knows as the subject.
    maker       varchar                     not null,
    issuer      varchar,
    subject     varchar,
    created_at  timestamp(6) with time zone default current_timestamp not null,
    expires_at  timestamp(6) with time zone not null,
    used_at     timestamp(6) with time zone,
    constraint approval_link_pk primary key (id),
    constraint approval_link_of foreign key (approval_id) references approval (id) on delete cascade
);
create index if not exists approval_link_by_approval on approval_link (approval_id);
