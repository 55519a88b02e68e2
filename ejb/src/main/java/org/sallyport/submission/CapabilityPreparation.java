package org.sallyport.submission;

import java.util.Optional;
import org.sallyport.execution.PinnedVariables;

/** Whether a capability can run now, apart from its arguments. */
sealed interface CapabilityPreparation {
    /** Its sandbox is allowed, all its tools exist, and all its variables have values. */
    record CapabilityPrepared(Optional<PinnedVariables> variables) implements CapabilityPreparation {}

    /** Its sandbox is not allowed, something that it needs is missing, or its variables are too large. */
    record CapabilityUnprepared(SubmissionResult reason) implements CapabilityPreparation {}
}
