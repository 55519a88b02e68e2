package org.sallyport.sandbox.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.LibraryModule;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.Toolbox;

class FrameCodecTest {
    @Test
    void everyCodeUnitRoundTrips() throws IOException {
        StringBuilder all = new StringBuilder();
        for (int unit = 0; unit <= Character.MAX_VALUE; unit++) {
            all.append((char) unit);
        }
        Frame frame =
                new Frame.OutputFrame(1, OutputStreamKind.ERR, all.reverse().toString());
        assertThat(copied(frame)).isEqualTo(frame);
    }

    @Test
    void sessionResultRoundTrips() throws IOException {
        Frame frame = new Frame.SessionResultFrame(3, new SessionResult.ScriptThrew("c", "m", 1, 2, "", null, 0));
        assertThat(copied(frame)).isEqualTo(frame);
    }

    @Test
    void toolboxWithOddNamesRoundTrips() throws IOException {
        Frame frame = new Frame.ToolboxFrame(
                7,
                new Toolbox(
                        List.of(new GuestTool("b", "gr__e", "{}", "b", "größe", "größe \ud800\u0000")),
                        List.of(new GuestTool("b", "old", "{}", "b", "old", "\u2028")),
                        Map.of("my-shop", "my_shop", "\u202e", ""),
                        List.of(new LibraryModule("m", "1", "00", "code"))));
        assertThat(copied(frame)).isEqualTo(frame);
    }

    @Test
    void toolboxOfManyToolsRoundTrips() throws IOException {
        List<GuestTool> tools = new ArrayList<>();
        for (int i = 0; i < 60_000; i++) {
            tools.add(new GuestTool("b", "t" + i));
        }
        Frame frame = new Frame.ToolboxFrame(1, new Toolbox(tools, List.of()));
        assertThat(copied(frame)).isEqualTo(frame);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{",
                "{}",
                "{\"is\":\"nothing\"}",
                "{\"is\":\"cancel\"}",
                "{\"is\":\"cancel\",\"session\":\"1\"}",
                "{\"is\":\"cancel\",\"session\":1,\"more\":1}",
                "{\"is\":\"cancel\",\"session\":1,\"session\":1}",
                "{\"is\":\"cancel\",\"session\":1}x",
                "{\"is\":\"cancel\",\"session\":99999999999999999999}",
                "{\"is\":\"cancel\",\"session\":[[[[1]]]]}"
            })
    void invalidFrameIsRefused(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> FrameCodec.read(bytes, bytes.length)).isInstanceOf(ProtocolException.class);
    }

    private static Frame copied(Frame frame) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        FrameCodec.write(frame, bytes);
        return FrameCodec.read(bytes.toByteArray(), bytes.size());
    }
}
