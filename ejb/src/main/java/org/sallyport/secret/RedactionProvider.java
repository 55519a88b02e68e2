package org.sallyport.secret;

import java.util.function.Function;

/** What is hidden from those who look at what a tenant's executions do. Thread-safe. */
public interface RedactionProvider {
    /** Nothing, of nobody. */
    RedactionProvider NONE = secretsOnly(tenant -> Redactor.NONE);

    /** No more than secrets. */
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

    /** What is hidden in output, results and traces: secrets, and what the tenant's policy says. May wait for the store. */
    Redactor redactorFor(String tenant);

    /** The same, as far as it is known without waiting for anybody; the same instance as long as nothing changes. */
    Redactor cachedRedactorFor(String tenant);

    /** Secrets alone: what even other executions of the tenant must not see. */
    Redactor secretsRedactorFor(String tenant);
}
