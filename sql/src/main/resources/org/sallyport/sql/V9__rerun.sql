-- An execution may repeat another, with what is recorded of it.

-- What it repeats; null for nearly all. No foreign key: the other may be deleted first.
alter table execution add column rerun_of varchar(36);
-- FRESH, FROM or OFFLINE.
alter table execution add column rerun_mode varchar(8);
-- The first call that is made for real.
alter table execution add column rerun_from bigint;
-- Whether its script or its input is not the other's.
alter table execution add column rerun_edited boolean;

-- Whether a call or an answer was taken from the other's recording; null for no.
alter table trace_event add column replayed boolean;
