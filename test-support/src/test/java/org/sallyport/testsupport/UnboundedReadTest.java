package org.sallyport.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Checks that the server reads data of others only where {@code bounded-reads.txt} says what bounds it. This includes
 * lists of rows, because a row may have megabytes. Each line of that file has the name of a type, the number of its
 * reads, and what bounds them.
 */
class UnboundedReadTest {
    private static final Path BOUNDED_READS = Path.of("src/test/resources/bounded-reads.txt");
    private static final Pattern LINE = Pattern.compile("(\\w+) (\\d+): (\\S.*)");
    private static final int MAX_LINE_LENGTH = 120;

    /** Modules that do not run in the server. */
    private static final Set<String> OTHER_MODULES = Set.of("bench", "cli", "it", "test-support");

    private static final Pattern MAIN_FILE = Pattern.compile("([^/]+)/src/main/java/(?:.*/)?(\\w+)\\.java");

    /** {@code selectRows} is the helper of the stores for lists of rows. */
    private static final Pattern READ =
            Pattern.compile("(?:\\.|::)\\s*(?:readNBytes|readAllBytes|getResultList|getResultStream)\\b"
                    + "|\\bBodyHandlers\\.of(?:String|ByteArray|Lines)\\b"
                    + "|\\b(?:new|extends) ByteArrayOutputStream\\b|\\bselectRows\\(");

    /** Returns the number of reads of each type of the server that has some. */
    private static Map<String, Integer> countReads() {
        Map<String, Integer> reads = new TreeMap<>();
        for (TextFile file : TextFile.list(".java")) {
            Matcher main = MAIN_FILE.matcher(file.name());
            if (main.matches() && !OTHER_MODULES.contains(main.group(1))) {
                int count = (int) READ.matcher(file.code()).results().count();
                if (count > 0) {
                    reads.merge(main.group(2), count, Integer::sum);
                }
            }
        }
        return reads;
    }

    private static List<String> boundedReads() {
        return TextFile.read(BOUNDED_READS).text().lines().toList();
    }

    @Test
    void eachReadHasABound() {
        Map<String, Integer> bounded = boundedReads().stream()
                .flatMap(line -> LINE.matcher(line).results())
                .collect(Collectors.toMap(
                        line -> line.group(1), line -> Integer.valueOf(line.group(2)), Integer::sum, TreeMap::new));

        assertThat(countReads())
                .as("reads by type; what bounds each of them, also a new one, is a line of %s", BOUNDED_READS)
                .isEqualTo(bounded);
    }

    @Test
    void eachBoundIsOneLine() {
        List<String> lines = boundedReads();

        assertThat(lines)
                .isSorted()
                .allSatisfy(line -> assertThat(line).matches(LINE).hasSizeLessThanOrEqualTo(MAX_LINE_LENGTH));
        assertThat(lines.stream().flatMap(line -> LINE.matcher(line).results()).map(UnboundedReadTest::typeName))
                .doesNotHaveDuplicates();
    }

    private static String typeName(MatchResult line) {
        return line.group(1);
    }
}
