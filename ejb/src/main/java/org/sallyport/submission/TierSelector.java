package org.sallyport.submission;

import java.util.List;
import org.sallyport.execution.ScriptTier;
import org.sallyport.sandbox.Script;

/** Selects the tier that runs a script. Never fails and never blocks. */
@FunctionalInterface
public interface TierSelector {

    /** Returns the tier of a script that may call the tools that {@code grants} name. */
    ScriptTier select(Script script, List<String> grants);
}
