-- What the tools that a version names were like when it was published: hashes of their schemas by the names of the tools, as a JSON object. Null for what was
-- published before. May be done again: H2 keeps it over a death.
alter table capability add column if not exists contract text;
