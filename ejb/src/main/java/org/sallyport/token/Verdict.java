package org.sallyport.token;

import java.util.Optional;
import org.sallyport.access.Caller;

/** What is thought of a token. */
public sealed interface Verdict {

    /**
     * It counts.
     *
     * @param name how its issuer calls the bearer for people, as it came: text of a stranger; his subject when it does not
     */
    record Accepted(Caller caller, String name) implements Verdict {}

    /**
     * It does not.
     *
     * @param genuine whether its issuer signed it, so that whoever sent it did not guess
     * @param caller who it would have been, as far as that is certain
     */
    record Refused(Refusal why, boolean genuine, Optional<Caller> caller) implements Verdict {}

    /** Nobody can say, since the keys of its issuer cannot be had. */
    record Undecided() implements Verdict {}
}
