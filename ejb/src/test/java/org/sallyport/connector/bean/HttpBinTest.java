package org.sallyport.connector.bean;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.connector.demo.HttpBin;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolResult;

class HttpBinTest {
    private final BeanHarness bin = new BeanHarness(new HttpBin());

    @AfterEach
    void close() {
        bin.close();
    }

    @Test
    void responseEchoesTheRequest() {
        assertThat(bin.call("anything", """
                        {"method":"POST","path":"/a","headers":{"X-One":"1"},"body":{"n":1.10},\
                        "status":201}""")).isEqualTo(ToolResult.success(new Json("""
                        {"status":201,"asked":{"method":"POST","path":"/a","headers":{"X-One":"1"},"body":{"n":1.10},\
                        "callId":"e/1"}}""")));
        assertThat(bin.call("anything", "{}")).isEqualTo(ToolResult.success(new Json("""
                        {"status":200,"asked":{"method":"GET","path":"/","headers":{},"callId":"e/2"}}""")));
    }

    @Test
    void errorStatusIsAToolFailure() {
        assertThat(bin.call("anything", "{\"status\":503}"))
                .isEqualTo(ToolResult.failure(ToolErrorCode.TOOL_FAILED, "the server answered 503"));
        assertThat(bin.call("anything", "{\"status\":42}"))
                .isEqualTo(ToolResult.failure(ToolErrorCode.INVALID_ARGUMENTS, "status must be from 100 to 599"));
    }

    @Test
    void toolIsReadOnly() throws InterruptedException {
        assertThat(bin.tool("anything").hints()).isEqualTo(ToolHints.READ_ONLY);
    }
}
