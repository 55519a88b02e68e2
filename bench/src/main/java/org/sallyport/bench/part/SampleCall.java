package org.sallyport.bench.part;

import java.time.Instant;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** The call of all microbenchmarks: a call with small arguments. */
final class SampleCall {
    static final ToolSpec TOOL =
            new ToolSpec(new ToolName("files", "write"), "Writes a file", new Json("""
                    {"type": "object", "additionalProperties": false, "required": ["path", "mode"], "properties": {
                      "path": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^/"},
                      "mode": {"enum": ["create", "append", "replace"]},
                      "size": {"type": "integer", "minimum": 0},
                      "tags": {"type": "array", "maxItems": 10, "items": {"type": "string"}}}}
                    """), ToolHints.EFFECT);

    static final Json ARGUMENTS =
            new Json("{\"path\":\"/data/reports/2026.txt\",\"mode\":\"replace\",\"size\":1200,\"tags\":[\"a\",\"b\"]}");

    /** The same arguments with an invalid path. */
    static final Json INVALID_ARGUMENTS =
            new Json("{\"path\":\"data/reports/2026.txt\",\"mode\":\"replace\",\"size\":1200,\"tags\":[\"a\",\"b\"]}");

    static final ToolCall CALL = new ToolCall(
            new CallId("01890a5d-ac96-774b-bcce-b302099a8057", 7),
            "bench",
            TOOL.name(),
            ARGUMENTS,
            Instant.parse("2026-01-05T09:00:30Z"));

    private SampleCall() {}
}
