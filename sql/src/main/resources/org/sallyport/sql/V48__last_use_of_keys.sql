-- When an API key was last used, as far as nodes have noted it. May be done again: H2 keeps it over a death.
alter table api_key add column if not exists last_used_at timestamp(6) with time zone;
