-- Whether an execution takes what others of its batch read; null for nearly all. May be done again: H2 keeps it over a
-- death.
alter table execution_input add column if not exists share_reads boolean;
