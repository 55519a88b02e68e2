package org.sallyport.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks names and comments of the whole repository against {@code docs/glossary.md} and the rules for prose. */
class VocabularyTest {
    private static final int MAX_LINE_LENGTH = 120;
    private static final double MAX_INDEFINITE_WORDS_PER_THOUSAND = 0.3;
    private static final double MAX_INDEFINITE_OPENINGS = 0.02;

    private static final Pattern TYPE =
            Pattern.compile("(?<![\\w.@])(?:class|interface|record|enum|@interface)\\s+([A-Z]\\w*)");
    private static final Pattern METHOD =
            Pattern.compile("\\b[\\w>\\]]\\s+([a-z]\\w*)\\s*\\([^;{}()]*(?:\\([^()]*\\)[^;{}()]*)*\\)"
                    + "\\s*(?:throws [\\w., ]+)?[{;]");
    private static final Pattern VARIABLE = Pattern.compile(
            "(?:[A-Z]\\w*(?:<[^;=(){}]*>)?|int|long|boolean|double|var)(?:\\[\\])*\\s+([a-z]\\w*)\\s*[;=,):]");
    private static final Pattern INDEFINITE =
            Pattern.compile("\\b(?:nobody|somebody|whoever|whatever|whichever)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern INDEFINITE_OPENING = Pattern.compile("\\s*(?:What|Who|Those|Nobody|Nothing)\\b");

    /** Nouns of the domain. No other type name consists of one word. */
    private static final Set<String> ONE_WORD_TYPES = Set.of(
            "Approval",
            "Artifact",
            "Attack",
            "Audited",
            "Await",
            "Backend",
            "Batch",
            "Budget",
            "Bulkhead",
            "Callback",
            "Caller",
            "Candidate",
            "Capability",
            "Configuration",
            "Connector",
            "Cost",
            "Cursor",
            "Database",
            "Durability",
            "Execution",
            "Failpoint",
            "Forger",
            "Frame",
            "Iso8601",
            "Isolation",
            "Journal",
            "Json",
            "Median",
            "Microbenchmark",
            "Param",
            "Policy",
            "Problem",
            "Redactor",
            "Role",
            "Sandbox",
            "Schedule",
            "Script",
            "Secret",
            "Services",
            "Setting",
            "Settings",
            "Submission",
            "Subscription",
            "Suspension",
            "Terminal",
            "Tier",
            "Tokenizer",
            "Tool",
            "Toolbox",
            "Trigger",
            "Unaudited",
            "Whitespace",
            "Worker",
            "Workload");

    /** Words that name a scene instead of a mechanism, one in each line. */
    private static final Set<String> BANNED_WORDS = Set.of(
            TextFile.read(Path.of("src/test/resources/banned-words.txt")).text().split("\n"));

    /** Verbs that say nothing about what a method does. */
    private static final Set<String> GENERIC_VERBS = Set.of(
            "look",
            "take",
            "tell",
            "say",
            "leave",
            "begin",
            "made",
            "over",
            "gone",
            "again",
            "most",
            "told",
            "perhaps",
            "fault",
            "patience");

    private static final List<TextFile> JAVA_FILES = TextFile.list(".java");
    private static final Map<String, Collection<String>> FILES_BY_TYPE_NAME = filesByTypeName();

    private static List<String> words(String name) {
        return List.of(name.split("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"));
    }

    private static Map<String, Collection<String>> filesByTypeName() {
        Map<String, Collection<String>> types = new TreeMap<>();
        JAVA_FILES.forEach(file -> file.find(TYPE)
                .forEach(name ->
                        types.computeIfAbsent(name, n -> new ArrayList<>()).add(file.name())));
        return types;
    }

    @Test
    void eachTypeNameOccursOnce() {
        Map<String, Collection<String>> types = new TreeMap<>(FILES_BY_TYPE_NAME);
        assertThat(types).hasSizeGreaterThan(1_000);
        types.values().removeIf(files -> files.size() == 1);
        assertThat(types).as("types that share their name").isEmpty();
    }

    @Test
    void oneWordTypesAreDomainNouns() {
        Set<String> oneWord = FILES_BY_TYPE_NAME.keySet().stream()
                .filter(name -> words(name).size() == 1)
                .collect(Collectors.toCollection(TreeSet::new));
        oneWord.removeAll(ONE_WORD_TYPES);
        assertThat(oneWord).isEmpty();
    }

    @Test
    void typeNamesContainNoBannedWord() {
        assertThat(FILES_BY_TYPE_NAME.keySet())
                .filteredOn(name -> words(name).stream().anyMatch(BANNED_WORDS::contains))
                .isEmpty();
    }

    @Test
    void methodNamesAreNotGenericVerbs() {
        Set<String> generic = new TreeSet<>();
        JAVA_FILES.forEach(file -> file.find(METHOD)
                .filter(GENERIC_VERBS::contains)
                .forEach(name -> generic.add(file.name() + ": " + name)));
        assertThat(generic).isEmpty();
    }

    @Test
    void noVariableIsNamedByAGenericVerb() {
        Set<String> generic = new TreeSet<>();
        JAVA_FILES.forEach(file -> file.find(VARIABLE)
                .filter(GENERIC_VERBS::contains)
                .forEach(name -> generic.add(file.name() + ": " + name)));
        assertThat(generic).isEmpty();
    }

    @Test
    void commentsNameTheActor() {
        List<String> comments =
                JAVA_FILES.stream().flatMap(file -> file.comments().stream()).toList();
        long words = comments.stream()
                .mapToLong(comment ->
                        Pattern.compile("\\w+").matcher(comment).results().count())
                .sum();
        long indefinite = comments.stream()
                .mapToLong(comment -> INDEFINITE.matcher(comment).results().count())
                .sum();
        assertThat(words).isGreaterThan(50_000);
        assertThat(indefinite * 1_000.0 / words)
                .as("nobody, somebody, whoever, whatever, whichever in 1,000 words of comments")
                .isLessThanOrEqualTo(MAX_INDEFINITE_WORDS_PER_THOUSAND);
        long openings = comments.stream()
                .filter(comment -> INDEFINITE_OPENING.matcher(comment).lookingAt())
                .count();
        assertThat(openings / (double) comments.size())
                .as("part of the comments that open with What, Who, Those, Nobody or Nothing")
                .isLessThanOrEqualTo(MAX_INDEFINITE_OPENINGS);
    }

    /** Tables and blocks of code in Markdown may have longer lines. Texts for agents have one line a paragraph. */
    @Test
    void noLineIsLongerThan120Columns() {
        List<String> longLines = new ArrayList<>();
        Stream.of(".java", ".md", ".js", ".mjs")
                .flatMap(ending -> TextFile.list(ending).stream())
                .filter(file -> !file.name().matches(".*/resources/.*\\.md"))
                .forEach(file -> file.withoutCodeBlocks()
                        .lines()
                        .filter(line -> line.codePointCount(0, line.length()) > MAX_LINE_LENGTH)
                        .filter(line -> !line.stripLeading().startsWith("|"))
                        .forEach(line -> longLines.add(file.name() + ": " + line.substring(0, 60) + "…")));
        assertThat(longLines).isEmpty();
    }
}
