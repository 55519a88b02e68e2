-- A call that is made again notes its mail once: of those that were noted more than once the first stays.
delete from demo_mail where id not in (select min(id) from demo_mail group by tenant, call_id);

create unique index if not exists demo_mail_by_call on demo_mail (tenant, call_id);
