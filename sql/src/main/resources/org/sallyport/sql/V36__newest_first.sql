-- Pages show the newest first. PostgreSQL reads an index from either end; H2 does not, and sorted all that a tenant has.
drop index approval_by_state;
create index approval_by_state on approval (tenant, state, id desc);
drop index approval_by_tenant;
create index approval_by_tenant on approval (tenant, id desc);

create index audit_entry_by_tenant on audit_entry (tenant, id desc);
drop index audit_entry_by_actor;
create index audit_entry_by_actor on audit_entry (tenant, actor, id desc);
drop index audit_entry_by_action;
create index audit_entry_by_action on audit_entry (tenant, action, id desc);
drop index audit_entry_by_object;
create index audit_entry_by_object on audit_entry (tenant, object, id desc);
drop index audit_result_by_object;
create index audit_result_by_object on audit_result (tenant, object, entry_id desc);

create index execution_mark_by_mark on execution_mark (tenant, mark, execution_id desc);

-- What ended together has one time: who goes through what has ended needs an order among that, too.
drop index execution_by_next_check;
create index execution_by_next_check on execution (state, next_check_at, id);
