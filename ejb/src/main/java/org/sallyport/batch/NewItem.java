package org.sallyport.batch;

import org.sallyport.execution.NewExecution;
import org.sallyport.tool.Json;

/** An item of a batch about to be accepted. */
public sealed interface NewItem {

    /** It is to run. */
    record Runs(NewExecution execution) implements NewItem {}

    /** Nothing can be made of it; {@code problem} says why. */
    record Refused(Json problem) implements NewItem {}
}
