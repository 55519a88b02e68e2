-- What makes a second run of an execution repeat the first.

-- What all chance of the script comes from; null for what was submitted before.
alter table execution_input add column seed varchar;

-- Of rows of the type RECORDED: times and timers that the script heard; not part of the trace that people read.
alter table trace_event add column notes text;
