package org.sallyport.policy;

import org.sallyport.tool.ToolSpec;

/** Judges each call at the bridge. */
public interface Policy {

    /** What happens to a call of {@code tool}. */
    Decision decide(ToolSpec tool);

    /**
     * The rules of a fresh installation: what destroys or sends something needs a person, and as long as nobody can be
     * asked the answer is no.
     */
    static Policy standard() {
        return tool -> tool.hints().destructive()
                ? new Decision.Deny(
                        "default/ask-destructive",
                        "'" + tool.name() + "' is destructive and needs a person's approval, which nobody can give yet")
                : new Decision.Allow("default/allow");
    }
}
