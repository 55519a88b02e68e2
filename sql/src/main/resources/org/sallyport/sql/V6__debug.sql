-- How the author looks into an execution; null for not at all, as nearly always.
alter table execution_input add debug varchar(16);
