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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.CheckedScript;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.LibraryModule;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
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
    void checkWithReferencesRoundTrips() throws IOException {
        Frame check = new Frame.CheckFrame(1, new Script("code", SourceLanguage.TYPESCRIPT), true);
        assertThat(copied(check)).isEqualTo(check);
        ScriptReferences references = new ScriptReferences(
                List.of(
                        new ScriptReferences.ReferencePath(List.of("demo", "größe"), 1, 1),
                        new ScriptReferences.ReferencePath(List.of("tools", "demo", "echo"), 20, Integer.MAX_VALUE)),
                List.of(
                        new ScriptReferences.ModuleReference("", 1, 2),
                        new ScriptReferences.ModuleReference("a.b/\ud800\u0000", 3, 4)));
        for (ScriptCheckResult result : List.of(
                new ScriptCheckResult.ScriptAccepted(SourceLanguage.JAVASCRIPT, true),
                new ScriptCheckResult.ScriptRejected("no", 1, 2, "frame"))) {
            Frame checked = new Frame.CheckResultFrame(7, new CheckedScript(result, references));
            assertThat(copied(checked)).isEqualTo(checked);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'\"a\"', '1,1'",
        "'\"a.\"', '1,1'",
        "'\"a.b.c.d\"', '1,1'",
        "'\"a.b\"', '1'",
        "'\"a.b\"', '0,1'",
        "'\"a.b\"', '1,2147483648'",
        "'\"a.b\"', '1,1,1,1'"
    })
    void malformedReferencesAreRefused(String paths, String positions) {
        String frame = "{\"is\":\"checked\",\"check\":1,\"verdict\":\"accepted\",\"fenced\":false,"
                + "\"language\":\"JAVASCRIPT\",\"paths\":[" + paths + "],\"pathPositions\":[" + positions
                + "],\"modules\":[],\"modulePositions\":[]}";
        byte[] bytes = frame.getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> FrameCodec.read(bytes, bytes.length)).isInstanceOf(ProtocolException.class);
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
