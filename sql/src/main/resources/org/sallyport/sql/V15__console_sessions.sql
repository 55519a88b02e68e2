-- Who is signed in at the console. What the browser holds is never stored, only its hash.
create table console_session (
    hash       varchar not null,
    key_id     varchar not null,
    expires_at timestamp(6) with time zone not null,
    constraint console_session_pk primary key (hash)
);

create index console_session_by_end on console_session (expires_at);
create index console_session_by_key on console_session (key_id);
