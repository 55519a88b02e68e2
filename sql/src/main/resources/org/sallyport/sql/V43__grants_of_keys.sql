-- What an API key may have called, as a list of globs; of keys from before: everything, as until now. May be done again: H2 keeps it over a death.
alter table api_key add column if not exists grants varchar;
