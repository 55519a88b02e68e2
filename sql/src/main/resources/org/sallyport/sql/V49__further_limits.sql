-- Limits that an execution asked for besides those that each has: a JSON object; null where it asked for none. May be done again: H2 keeps it
-- over a death.
alter table execution_input add column if not exists further_limits text;
