-- Pages show the newest first. PostgreSQL reads an index from either end; H2 does not, and sorted all that a tenant has. New
-- indexes come before old ones go, and each step may be done again: H2 keeps the steps that were made before a death.
create index if not exists approval_newest_by_state on approval (tenant, state, id desc);
create index if not exists approval_newest on approval (tenant, id desc);
create index if not exists audit_entry_newest on audit_entry (tenant, id desc);
create index if not exists audit_entry_newest_by_actor on audit_entry (tenant, actor, id desc);
create index if not exists audit_entry_newest_by_action on audit_entry (tenant, action, id desc);
create index if not exists audit_entry_newest_by_object on audit_entry (tenant, object, id desc);
create index if not exists audit_result_newest_by_object on audit_result (tenant, object, entry_id desc);
create index if not exists execution_mark_newest on execution_mark (tenant, mark, execution_id desc);
-- What ended together has one time: who goes through what has ended needs an order among that, too.
create index if not exists execution_by_check on execution (state, next_check_at, id);

drop index if exists approval_by_state;
drop index if exists approval_by_tenant;
drop index if exists audit_entry_by_actor;
drop index if exists audit_entry_by_action;
drop index if exists audit_entry_by_object;
drop index if exists audit_result_by_object;
drop index if exists execution_by_next_check;
