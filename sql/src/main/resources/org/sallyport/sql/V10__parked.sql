-- Executions that wait in the database alone.

-- What a WAITING execution waits for, and since when; until when is next_check_at.
alter table execution add column waiting_for varchar(16);
alter table execution add column waiting_since timestamp(6) with time zone;
