-- What a call is answered when nobody decides on it in time, where its rule names that. May be done again: H2 keeps it over a death.
alter table approval add column if not exists value_at_expiry text;
