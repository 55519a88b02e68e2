package org.sallyport.demo;

import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;

/** What the demo backend remembers, per tenant. Every method is one transaction. Thread-safe. */
public interface DemoStore {

    /** The value under {@code key}. */
    Optional<Json> get(String tenant, String key);

    /** Sets the value under {@code key}. */
    void put(String tenant, String key, Json value);

    /** The count of {@code name}; 0 when it was never raised. */
    long count(String tenant, String name);

    /** Raises the count of {@code name} by {@code by}, notes {@code call} in its ledger, and gives the new count; a call already in the ledger raises nothing. */
    long increment(String tenant, String name, long by, String call);

    /** The calls that raised {@code name}, in order. */
    List<String> ledger(String tenant, String name);

    /** Notes a mail that nobody sends; of a call that has noted one already, nothing. */
    void recordMail(String tenant, String call, Json mail);

    /** The mails noted, in order. */
    List<Json> outbox(String tenant);
}
