-- Who logged in at a provider of identities, in sessions that no key opened; null in all others. Texts go through
-- org.sallyport.store.LosslessText.
alter table console_session add column issuer  varchar;
alter table console_session add column subject varchar;
alter table console_session add column tenant  varchar;
alter table console_session add column roles   varchar;
alter table console_session add column name    varchar;
