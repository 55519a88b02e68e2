package org.sallyport.demo;

import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;

/** Stores the state of the demo backend per tenant. Every method is one transaction. Thread-safe. */
public interface DemoStore {

    /** Returns the value under {@code key}. */
    Optional<Json> get(String tenant, String key);

    /** Sets the value under {@code key}. */
    void put(String tenant, String key, Json value);

    /** Returns the count of {@code name}; 0 when it was never incremented. */
    long count(String tenant, String name);

    /**
     * Increments the count of {@code name} by {@code by}, records {@code call} in its ledger, and returns the new
     * count. Changes nothing for a call that is already in the ledger.
     */
    long increment(String tenant, String name, long by, String call);

    /** Returns the last calls that incremented {@code name}, at most {@code limit}, in order. */
    List<String> ledger(String tenant, String name, int limit);

    /** Records a mail without sending it. Does nothing for a call that has already recorded one. */
    void recordMail(String tenant, String call, Json mail);

    /** Returns the last recorded mails, at most {@code limit}, in order. */
    List<Json> outbox(String tenant, int limit);
}
