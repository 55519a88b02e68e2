package org.sallyport.runner;

import org.sallyport.catalog.ToolCatalog;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.ToolName;

/** Which calls may change something, by the hints of their tools. A tool that is not known may. Thread-safe. */
public final class ToolEffectClassifier {
    private final ToolCatalog catalog;

    public ToolEffectClassifier(ToolCatalog catalog) {
        this.catalog = catalog;
    }

    /** Returns whether a call may change something at its backend. */
    boolean changesBackend(ToolName tool) {
        return !tool.backend().equals(HostServices.BACKEND)
                && catalog.find(tool)
                        .map(known -> !known.spec().hints().readOnly())
                        .orElse(true);
    }

    /** Returns whether a call may change something that outlives its execution: at its backend, or by an event. */
    public boolean outlivesExecution(ToolName tool) {
        return tool.backend().equals(HostServices.BACKEND)
                ? tool.tool().equals(HostServices.EVENT_EMIT)
                : changesBackend(tool);
    }
}
