package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;

class CursorTest {
    private static final String ID = "019ea7c0-1a2b-7000-92af-3bd76810d50e";

    @Test
    void executionIdSurvivesARoundTrip() {
        ExecutionIdGenerator ids = new ExecutionIdGenerator(InstantSource.fixed(Instant.EPOCH), new Random(1));
        for (int i = 0; i < 100; i++) {
            ExecutionId id = ids.next();

            assertThat(Cursor.decode(Cursor.encode(id))).contains(id);
        }
    }

    @Test
    void cursorIsUrlSafe() {
        assertThat(Cursor.encode(ExecutionId.parse(ID).orElseThrow())).matches("[A-Za-z0-9_-]+");
    }

    @ParameterizedTest
    @NullAndEmptySource
    void listWithoutCursorStartsAtTheBeginning(@Nullable String cursor) {
        assertThat(Cursor.decode(cursor)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "!!!", "MTo=", ID, "MTow", "é", "%00", " "})
    void malformedCursorIsRefused(String cursor) {
        assertThat(ProblemAssertions.invalidMemberOf(() -> Cursor.decode(cursor)))
                .isEqualTo("cursor");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2:" + ID, "1:" + ID + "0", "1:019ea7c0", ID, "1:", ""})
    void forgedCursorIsRefused(String text) {
        String cursor = Base64.getUrlEncoder().encodeToString(("\u0001" + text).getBytes(StandardCharsets.US_ASCII));
        String bare = Base64.getUrlEncoder().encodeToString((text + ";").getBytes(StandardCharsets.US_ASCII));

        assertThat(ProblemAssertions.invalidMemberOf(() -> Cursor.decode(cursor)))
                .isEqualTo("cursor");
        assertThat(ProblemAssertions.invalidMemberOf(() -> Cursor.decode(bare))).isEqualTo("cursor");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"acme", " ", "1~", "Zoë ☃", "\uD83D\uDE00", "half \uD800", "\u0000\u001A", "'; drop table x; --"
            })
    void anyTextSurvivesARoundTrip(String text) {
        String cursor = Cursor.encodeText(text);

        assertThat(cursor).matches("[A-Za-z0-9_-]+");
        assertThat(Cursor.decodeText(cursor)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "!!!", "AA", "ADEAfg", "MX5hY21l", "AAAA", "é", " "})
    void malformedTextCursorIsRefused(String cursor) {
        assertThat(ProblemAssertions.invalidMemberOf(() -> Cursor.decodeText(cursor)))
                .isEqualTo("cursor");
        assertThat(ProblemAssertions.invalidMemberOf(() -> Cursor.decodeText("A".repeat(100_000))))
                .isEqualTo("cursor");
        assertThat(ProblemAssertions.invalidMemberOf(() -> Cursor.decodeText(Cursor.encodeName("acme"))))
                .isEqualTo("cursor");
    }

    @ParameterizedTest
    @NullAndEmptySource
    void textListWithoutCursorStartsAtTheBeginning(@Nullable String cursor) {
        assertThat(Cursor.decodeText(cursor)).isEmpty();
    }

    @Test
    void oversizedCursorIsRefused() {
        assertThat(ProblemAssertions.invalidMemberOf(() -> Cursor.decode("A".repeat(100_000))))
                .isEqualTo("cursor");
    }
}
