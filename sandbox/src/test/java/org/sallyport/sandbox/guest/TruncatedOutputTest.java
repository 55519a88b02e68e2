package org.sallyport.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TruncatedOutputTest {
    private static final Pattern NOTE = Pattern.compile("\\[… ([0-9,]+) characters omitted …]\n");
    private static final String SMILE = "\ud83d\ude00";

    private static String keptOf(int limit, String... prints) {
        TruncatedOutput output = new TruncatedOutput(limit);
        StringBuilder kept = new StringBuilder();
        for (String text : prints) {
            kept.append(output.add(text));
        }
        return kept.append(output.finish()).toString();
    }

    private static String lines(int count) {
        return IntStream.range(0, count).mapToObj(line -> "line " + line + "\n").collect(Collectors.joining());
    }

    @Test
    void lastLinesAreKeptWithTheNumberOfOmittedCharacters() {
        String all = lines(100_000);

        String kept = keptOf(20_000, all.split("(?<=\n)", -1));

        Matcher note = NOTE.matcher(kept);
        assertThat(note.find()).isTrue();
        String head = kept.substring(0, 18_000);
        String tail = kept.substring(note.end());
        assertThat(kept).hasSizeLessThanOrEqualTo(20_000);
        assertThat(all).startsWith(head).endsWith(tail);
        assertThat(tail).startsWith("line ").endsWith("line 99999\n").hasSizeGreaterThan(1_900);
        assertThat(Integer.parseInt(note.group(1).replace(",", "")))
                .isEqualTo(all.length() - head.length() - tail.length());
    }

    @Test
    void outputUpToTheLimitIsComplete() {
        String all = lines(100_000).substring(0, 20_000);
        TruncatedOutput output = new TruncatedOutput(20_000);

        String kept = output.add(all.substring(0, 17_999)) + output.add(all.substring(17_999)) + output.finish();

        assertThat(kept).isEqualTo(all);
        assertThat(output.isTruncated()).isFalse();
    }

    @Test
    void outputIsTruncatedAsSoonAsACharacterIsOmitted() {
        TruncatedOutput output = new TruncatedOutput(20_000);

        output.add("x".repeat(20_000));
        assertThat(output.isTruncated()).isFalse();
        output.add("x");
        assertThat(output.isTruncated()).isTrue();
    }

    @Test
    void streamWithASmallLimitHasNoTail() {
        assertThat(keptOf(1_999, "x".repeat(1_998), "abc")).isEqualTo("x".repeat(1_998) + "a");
        assertThat(keptOf(0, "x")).isEmpty();
    }

    @Test
    void tailDoesNotBeginInsideAValue() {
        assertThat(keptOf(2_000, "x".repeat(1_000_000)))
                .isEqualTo("x".repeat(1_800) + "\n[… 998,200 characters omitted …]\n");
        assertThat(keptOf(2_000, "x".repeat(10_000) + "\",\"key\":1}"))
                .isEqualTo("x".repeat(1_800) + "\n[… 8,201 characters omitted …]\n,\"key\":1}");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void keptPartsAreTheHeadAndTheTailOfTheOutput(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            int limit = random.nextInt(6_000);
            int prints = random.nextInt(20);
            StringBuilder all = new StringBuilder();
            TruncatedOutput output = new TruncatedOutput(limit);
            StringBuilder kept = new StringBuilder();
            for (int print = 0; print < prints; print++) {
                StringBuilder text = new StringBuilder();
                for (int left = random.nextInt(1_000); left > 0; left--) {
                    int kind = random.nextInt(30);
                    text.append(kind == 0 ? "\n" : kind < 4 ? SMILE : "x");
                }
                all.append(text);
                kept.append(output.add(text.toString()));
            }
            kept.append(output.finish());

            assertThat(kept.length()).as("seed %d, round %d", seed, round).isLessThanOrEqualTo(limit);
            assertThat(output.isTruncated()).isEqualTo(all.length() > limit || kept.length() < all.length());
            if (!output.isTruncated()) {
                assertThat(kept.toString()).isEqualTo(all.toString());
                continue;
            }
            Matcher note = NOTE.matcher(kept);
            boolean hasTail = note.find();
            String beforeNote = hasTail ? kept.substring(0, note.start()) : kept.toString();
            String head = all.toString().startsWith(beforeNote)
                    ? beforeNote
                    : beforeNote.substring(0, beforeNote.length() - 1);
            String tail = hasTail ? kept.substring(note.end()) : "";
            assertThat(hasTail).isEqualTo(limit >= TruncatedOutput.MIN_LIMIT_WITH_TAIL);
            assertThat(all.toString()).startsWith(head).endsWith(tail);
            assertThat(head + tail).doesNotMatch("(?s).*([\ud800-\udbff](?![\udc00-\udfff])).*");
        }
    }
}
