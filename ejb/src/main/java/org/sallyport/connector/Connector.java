package org.sallyport.connector;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

/** Speaks to one backend. Thread-safe. */
public interface Connector {

    /** The backend's name. */
    String backend();

    /** The backend's tools. */
    List<ToolSpec> tools();

    /** Makes the call; never waits on the calling thread for something slow. A stage that fails becomes {@code tool-failed}. */
    CompletionStage<ToolResult> call(ToolCall call);
}
