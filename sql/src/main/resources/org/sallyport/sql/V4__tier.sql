-- The way the script is run, decided when it is accepted; rows from before have none.
alter table execution add column tier varchar(16);
