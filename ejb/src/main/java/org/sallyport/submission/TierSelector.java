package org.sallyport.submission;

import java.util.List;
import org.sallyport.execution.ScriptTier;
import org.sallyport.sandbox.Script;

/** Says which way a script will be run. Never fails, and waits for nothing. */
@FunctionalInterface
public interface TierSelector {

    /** The tier of a script that may call the tools that {@code grants} name. */
    ScriptTier select(Script script, List<String> grants);
}
