-- What becomes of the effects of an execution, where they are not simply made: a JSON object.
alter table execution_input add column effects text;
