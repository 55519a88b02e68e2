package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

class BatchItemIndexTest {
    private static final int MAX_ITEM_BYTES = 200;
    private static final int MAX_ITEMS = 3;
    private static final Set<String> KNOWN_MEMBERS =
            Set.of("items", "onFailure", "defaults", "maxParallel", "a", "b", "c");
    private static final BatchBodyLimits LIMITS = new BatchBodyLimits(MAX_ITEM_BYTES, MAX_ITEMS, KNOWN_MEMBERS);

    @TempDir
    Path directory;

    private SpooledBody spool(String text) {
        return SpooledBodyTest.spool(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), directory.resolve("spool"));
    }

    private BatchItemIndex object(SpooledBody body) {
        return BatchItemIndex.ofJson(body, LIMITS, memory -> {});
    }

    private static ObjectNode item(BatchItemIndex index, SpooledBody body, int number) {
        return index.item(number, index.bytes(body, number));
    }

    @Test
    void itemsAreReadOneByOneAtAnyPosition() {
        String padding = " ".repeat(20_000);
        try (SpooledBody body = spool(
                "{\"onFailure\" : \"stop\", \"items\":" + padding + "[ {\"a\":\"\u00e4\uD83D\uDE00 ]}\"} ,{\"b\":[{}]}"
                        + padding + "\n], \"defaults\":{\"c\":1},\"maxParallel\":12}")) {
            BatchItemIndex index = object(body);

            assertThat(index.count()).isEqualTo(2);
            assertThat(item(index, body, 0).path("a").asText()).isEqualTo("\u00e4\uD83D\uDE00 ]}");
            assertThat(item(index, body, 1).path("b")).hasSize(1);
            assertThat(index.header().toString())
                    .isEqualTo("{\"onFailure\":\"stop\",\"items\":[],\"defaults\":{\"c\":1},\"maxParallel\":12}");
        }
    }

    @Test
    void topLevelArrayIsTheListOfItems() {
        try (SpooledBody body = spool(" [ {\"a\":1}, 7 ,{\"b\":[]}]\n")) {
            BatchItemIndex index = object(body);

            assertThat(index.isTopLevelArray()).isTrue();
            assertThat(index.count()).isEqualTo(3);
            assertThat(item(index, body, 0).path("a").asInt()).isEqualTo(1);
            assertThat(type(index, body, 1)).isEqualTo(ProblemType.VALIDATION);
            assertThat(item(index, body, 2).path("b").isArray()).isTrue();
            assertThat(index.header()).isEmpty();
        }
    }

    @Test
    void membersBesideTheItemsAreBoundedTogether() {
        String member = "\"%s\":\"" + "x".repeat(MAX_ITEM_BYTES / 3) + "\",";
        try (SpooledBody body = spool("{" + member.formatted("a") + member.formatted("b") + "\"items\":[{\"a\":1}]}")) {
            assertThat(object(body).count()).isEqualTo(1);
        }
        try (SpooledBody body = spool("{" + member.formatted("a") + member.formatted("b") + member.formatted("c")
                + "\"items\":[{\"a\":1}]}")) {
            assertThatThrownBy(() -> object(body))
                    .hasMessageContaining("the members besides the items are larger than " + MAX_ITEM_BYTES + " bytes");
        }
    }

    /** A body may be larger than the memory. */
    @Test
    void endlessNameIsRefusedAfterItsFirstCharacters() {
        for (String start : List.of("{\"", "{\"items\": [{\"", "[{\"a\": {\"")) {
            try (SpooledBody body = spool(start + "x".repeat(900_000))) {
                assertThatThrownBy(() -> object(body)).as(start).hasMessageContaining("a name of more than 1000 bytes");
            }
        }
    }

    @Test
    void endlessOptionIsRefusedAfterItsFirstCharacters() {
        for (String start : List.of("{\"onFailure\": \"", "{\"maxParallel\": 1", "{\"other\": 1")) {
            try (SpooledBody body = spool(start + "1".repeat(900_000))) {
                assertThatThrownBy(() -> object(body)).as(start).hasMessageContaining("an option that is too long");
            }
        }
    }

    @Test
    void unknownMembersAreRefusedAtOnce() {
        try (SpooledBody body = spool("{\"items\": [], \"\u00e4\": [this is not even looked at")) {
            assertThatThrownBy(() -> object(body))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageStartingWith("unknown member \u00e4; known are a, b, c, defaults, items");
        }
    }

    @Test
    void memoryOfMembersBesideTheItemsIsReservedBeforeTheyAreParsed() {
        List<Long> reserved = new ArrayList<>();
        String text = "{\"defaults\": {\"a\": [1, 2, 3]}, \"items\": [{\"a\": 1}], \"b\": [1 1]}";
        try (SpooledBody body = spool(text)) {
            assertThatThrownBy(() -> BatchItemIndex.ofJson(body, LIMITS, reserved::add))
                    .isInstanceOf(ProblemException.class);
        }
        assertThat(reserved).hasSize(1);
        assertThat(reserved.get(0)).isBetween(300L, 1_000L);
    }

    @Test
    void memoryOfTheLargestItemIsReservedBeforeItIsParsed() {
        List<Long> reserved = new ArrayList<>();
        try (SpooledBody body = spool("[1, 2]\n{}\n[1, 2, 3, 4, 5, 6]\n")) {
            BatchItemIndex index = BatchItemIndex.ofLines(body, LIMITS, reserved::add);
            assertThat(reserved).isEmpty();

            index.bytes(body, 0);
            long first = sum(reserved);
            assertThat(first).isBetween(100L, 500L);
            index.bytes(body, 1);
            assertThat(sum(reserved)).isEqualTo(first);
            index.bytes(body, 2);
            assertThat(sum(reserved)).isBetween(first + 200, 1_000L);
        }
    }

    private static long sum(List<Long> bytes) {
        return bytes.stream().mapToLong(Long::longValue).sum();
    }

    /** The client must not get a batch whose items are refused because the server had no memory for them. */
    @Test
    void batchIsRefusedWithoutMemoryForAnItem() {
        ProblemException refusal = new ProblemException(ProblemType.UNAVAILABLE, "no memory");
        try (SpooledBody body = spool("{}\n")) {
            BatchItemIndex index = BatchItemIndex.ofLines(body, LIMITS, bytes -> {
                throw refusal;
            });

            for (BatchItemDocuments documents : List.of(
                    IndexedItemDocuments.submissions(body, index), IndexedItemDocuments.arguments(body, index, true))) {
                assertThatThrownBy(() -> documents.read().next()).isSameAs(refusal);
            }
        }
    }

    @Test
    void otherEncodingThanUtf8IsRefused() {
        for (Charset charset : List.of(
                StandardCharsets.UTF_16,
                StandardCharsets.UTF_16LE,
                StandardCharsets.UTF_16BE,
                Charset.forName("UTF-32"))) {
            byte[] bytes = "{\"items\":[{\"a\":1}]}".getBytes(charset);
            try (SpooledBody body =
                    SpooledBodyTest.spool(new ByteArrayInputStream(bytes), directory.resolve("spool"))) {
                assertThatThrownBy(() -> object(body))
                        .as(charset.name())
                        .isInstanceOf(ProblemException.class)
                        .hasMessageContaining("UTF-8");
            }
        }
    }

    @Test
    void invalidItemDoesNotAffectOtherItems() {
        String large = "x".repeat(MAX_ITEM_BYTES);
        try (SpooledBody body = spool("{\"items\": [{\"a\":1,\"a\":2}, 7, {\"a\":\"" + large + "\"}]}")) {
            BatchItemIndex index = object(body);

            assertThat(index.count()).isEqualTo(3);
            assertThat(type(index, body, 0)).isEqualTo(ProblemType.VALIDATION);
            assertThat(type(index, body, 1)).isEqualTo(ProblemType.VALIDATION);
            assertThat(type(index, body, 2)).isEqualTo(ProblemType.PAYLOAD_TOO_LARGE);
        }
    }

    private static ProblemType type(BatchItemIndex index, SpooledBody body, int item) {
        try {
            throw new AssertionError(item(index, body, item).toString());
        } catch (ProblemException e) {
            return e.problem().type();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[{]",
                "1",
                "{\"items\": [",
                "{\"items\": [}",
                "{\"items\": []} x",
                "{\"items\": [], \"items\": []}",
                "{\"a\": 1, \"a\": 2}",
                "{\"items\": [{]}",
            })
    void invalidJsonIsRefusedAsAWhole(String text) {
        try (SpooledBody body = spool(text)) {
            assertThatThrownBy(() -> object(body)).isInstanceOf(ProblemException.class);
        }
    }

    @Test
    void readingStopsAfterTheMaximumNumberOfItems() {
        try (SpooledBody body = spool("{\"items\": [{},{},{},{},{},{} this is not even looked at")) {
            assertThat(object(body).count()).isEqualTo(MAX_ITEMS + 1);
        }
        try (SpooledBody body = spool("{}\n".repeat(100))) {
            assertThat(BatchItemIndex.ofLines(body, LIMITS, memory -> {}).count())
                    .isEqualTo(MAX_ITEMS + 1);
        }
    }

    @Test
    void linesMayHaveAnyLineEndingAndBeBlank() {
        try (SpooledBody body = spool("\n{\"a\":1}\r\n  \t\n {\"a\":2}")) {
            BatchItemIndex index = BatchItemIndex.ofLines(body, LIMITS, memory -> {});

            assertThat(index.count()).isEqualTo(2);
            assertThat(item(index, body, 1).path("a").asInt()).isEqualTo(2);
        }
    }

    /** Windows editors write a byte order mark and end lines with CR LF. */
    @Test
    void byteOrderMarkAndBlankLinesAreNoItems() {
        try (SpooledBody body = spool("\ufeff{\"a\":1}\r\n\r\n{\"a\":2}\r\n   \r\n{\"a\":3}\r\n")) {
            BatchItemIndex index = BatchItemIndex.ofLines(body, LIMITS, memory -> {});

            assertThat(index.count()).isEqualTo(3);
            for (int i = 0; i < 3; i++) {
                assertThat(item(index, body, i).path("a").asInt()).isEqualTo(i + 1);
                assertThat(index.line(i)).isEqualTo(2 * i + 1);
            }
        }
    }

    @Test
    void byteOrderMarkBeforeABlankLineIsNoItem() {
        for (String start : List.of("\ufeff\r\n", "\ufeff \n", "\ufeff\n\n")) {
            try (SpooledBody body = spool(start + "{\"a\":1}\n")) {
                BatchItemIndex index = BatchItemIndex.ofLines(body, LIMITS, memory -> {});

                assertThat(index.count()).isEqualTo(1);
                assertThat(item(index, body, 0).path("a").asInt()).isEqualTo(1);
            }
        }
        try (SpooledBody body = spool("\ufeff")) {
            assertThat(BatchItemIndex.ofLines(body, LIMITS, memory -> {}).count())
                    .isZero();
        }
    }

    /** Their values count when a request is compared with an earlier one that has the same idempotency key. */
    @Test
    void membersBesideTheItemsKeepTheirValues() {
        String members = "{\"a\":[1,[\"x\"],{}],\"b\":0.75,\"c\":-1e3}";
        try (SpooledBody body = spool("\ufeff" + members)) {
            assertThat(object(body).header())
                    .isEqualTo(BoundedJson.parseTree(members.getBytes(StandardCharsets.UTF_8)));
        }
        try (SpooledBody body = spool("{\"a\":1." + "0".repeat(2_000) + "}")) {
            assertThatThrownBy(() -> object(body)).isInstanceOf(ProblemException.class);
        }
    }

    @Test
    void eachLineIsJudgedByItself() {
        List<String> lines = List.of(
                "{\"a\":1}", "{\"a\":2,\"a\":3}", "[]", "{\"a\":4} {\"a\":5}", "{\"a\":6", "\"a\"", "{\"a\":8}");
        try (SpooledBody body = spool(String.join("\n", lines))) {
            BatchItemIndex index = BatchItemIndex.ofLines(
                    body, new BatchBodyLimits(MAX_ITEM_BYTES, lines.size(), KNOWN_MEMBERS), memory -> {});

            assertThat(index.count()).isEqualTo(lines.size());
            assertThat(item(index, body, 0).path("a").asInt()).isEqualTo(1);
            assertThat(item(index, body, 6).path("a").asInt()).isEqualTo(8);
            for (int i = 1; i < 6; i++) {
                assertThat(type(index, body, i)).as(lines.get(i)).isEqualTo(ProblemType.VALIDATION);
            }
        }
    }

    @Test
    void oversizedBodyLeavesNoFileBehind() throws Exception {
        Path spool = directory.resolve("spool");
        SpoolDirectory small = new SpoolDirectory(spool, 2_000_000, 0);
        assertThatThrownBy(() -> SpooledBody.of(new ByteArrayInputStream(new byte[1_001]), 1_000, small, "tenant"))
                .isInstanceOf(ProblemException.class);
        try (SpooledBody body = spool("{}")) {
            assertThat(body.sha256()).hasSize(64);
        }
        try (var files = Files.list(spool)) {
            assertThat(files).isEmpty();
        }
    }
}
