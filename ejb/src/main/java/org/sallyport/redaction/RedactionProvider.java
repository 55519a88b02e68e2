package org.sallyport.redaction;

import java.util.function.Function;

/** Provides the redactors of tenants. Thread-safe. */
public interface RedactionProvider {
    /** Redacts nothing. */
    RedactionProvider NONE = secretsOnly(tenant -> Redactor.NONE);

    /** Redacts secrets only. */
    static RedactionProvider secretsOnly(Function<String, Redactor> secrets) {
        return new RedactionProvider() {
            @Override
            public Redactor redactorFor(String tenant) {
                return secrets.apply(tenant);
            }

            @Override
            public Redactor cachedRedactorFor(String tenant) {
                return secrets.apply(tenant);
            }

            @Override
            public Redactor secretsRedactorFor(String tenant) {
                return secrets.apply(tenant);
            }
        };
    }

    /**
     * Returns the redactor for output, results and traces: secrets, and the personal data that the tenant's policy
     * names. May block on the store.
     */
    Redactor redactorFor(String tenant);

    /**
     * Returns the redactor as far as it is known without blocking. Returns the same instance as long as nothing
     * changes.
     */
    Redactor cachedRedactorFor(String tenant);

    /** Returns the redactor of secrets only, for data that even other executions of the tenant must not see. */
    Redactor secretsRedactorFor(String tenant);
}
