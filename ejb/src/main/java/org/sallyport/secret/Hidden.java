package org.sallyport.secret;

import java.util.function.Function;

/** What is hidden from those who look at what a tenant's executions do. Thread-safe. */
public interface Hidden {
    /** Nothing, of nobody. */
    Hidden NOTHING = secretsAlone(tenant -> Redaction.NOTHING);

    /** No more than secrets. */
    static Hidden secretsAlone(Function<String, Redaction> secrets) {
        return new Hidden() {
            @Override
            public Redaction of(String tenant) {
                return secrets.apply(tenant);
            }

            @Override
            public Redaction known(String tenant) {
                return secrets.apply(tenant);
            }

            @Override
            public Redaction secrets(String tenant) {
                return secrets.apply(tenant);
            }
        };
    }

    /** What is hidden in output, results and traces: secrets, and what the tenant's policy says. May wait for the store. */
    Redaction of(String tenant);

    /** The same, as far as it is known without waiting for anybody; the same instance as long as nothing changes. */
    Redaction known(String tenant);

    /** Secrets alone: what even other executions of the tenant must not see. */
    Redaction secrets(String tenant);
}
