package org.sallyport.submission;

import java.util.Optional;
import org.sallyport.execution.PinnedVariables;

/** Whether a capability can run now, apart from its arguments. */
sealed interface CapabilityPreparation {
    /** All its tools exist, and all its variables have values. */
    record CapabilityPrepared(Optional<PinnedVariables> variables) implements CapabilityPreparation {}

    /** Something that it needs is missing. */
    record CapabilityUnprepared(SubmissionResult reason) implements CapabilityPreparation {}
}
