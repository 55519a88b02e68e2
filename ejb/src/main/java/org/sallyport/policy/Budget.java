package org.sallyport.policy;

import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.Cost;

/**
 * How much calls may cost together.
 *
 * @param name what refusals call it
 * @param of whose calls
 * @param per for how long; empty for one execution
 * @param most how much
 * @param keys ids of the keys that it is for; empty for each
 * @param asks whether a call beyond it waits for a person's yes, rather than being refused
 */
public record Budget(String name, Of of, Optional<Period> per, Cost most, Set<String> keys, boolean asks) {
    /** The budget that a submission sets itself. */
    public static final String OF_SUBMISSION = "limits.cost";

    public Budget {
        keys = Set.copyOf(keys);
    }

    /** Whose calls are counted together. */
    public enum Of {
        /** Of one execution that nobody nested, with all that it nests. */
        EXECUTION,
        /** Of all executions that one key submitted, or one token's subject. */
        KEY,
        TENANT
    }

    /** By the database's clock, in UTC. */
    public enum Period {
        DAY,
        MONTH
    }

    /** What a submission may cost by its own word. */
    public static Budget ofSubmission(Cost most) {
        return new Budget(OF_SUBMISSION, Of.EXECUTION, Optional.empty(), most, Set.of(), false);
    }
}
