package org.sallyport.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks names and comments of the whole repository against {@code docs/glossary.md} and the rules for prose. */
class VocabularyTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int MAX_LINE_LENGTH = 120;
    private static final double MAX_INDEFINITE_WORDS_PER_THOUSAND = 0.3;
    private static final double MAX_INDEFINITE_OPENINGS = 0.02;

    private static final Pattern STRING_OR_COMMENT = Pattern.compile(
            "\"\"\"[\\s\\S]*?\"\"\"|\"[^\"\\\\\n]*+(?:\\\\.[^\"\\\\\n]*+)*+\"|'(?:\\\\.|[^'\\\\\n])[^'\n]*'"
                    + "|/\\*[\\s\\S]*?\\*/|(?:(?<=\n)[ \t]*//[^\n]*\n)+|//[^\n]*");
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

    /** One file and its text. */
    private record TextFile(Path path, String text) {
        static TextFile read(Path path) {
            try {
                return new TextFile(path, Files.readString(path));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        String name() {
            return ROOT.relativize(path).toString();
        }

        String withoutCodeBlocks() {
            return name().endsWith(".md") ? text.replaceAll("(?m)^ *```[\\s\\S]*?^ *```", "") : text;
        }

        /** The code without strings and comments. */
        String code() {
            return STRING_OR_COMMENT
                    .matcher(text)
                    .replaceAll(found -> found.group().contains("\n") ? "\n" : " ");
        }

        List<String> comments() {
            return STRING_OR_COMMENT
                    .matcher(text)
                    .results()
                    .map(MatchResult::group)
                    .filter(found -> found.stripLeading().startsWith("/"))
                    .map(TextFile::withoutMarks)
                    .toList();
        }

        private static String withoutMarks(String comment) {
            return comment.replaceAll("(?m)^[ \t]*(?:/\\*+|\\*/|\\*|//)", "")
                    .replace("*/", "")
                    .strip();
        }

        Stream<String> find(Pattern pattern) {
            return pattern.matcher(code()).results().map(found -> found.group(1));
        }
    }

    private static final List<TextFile> JAVA_FILES = files(".java");

    private static List<TextFile> files(String ending) {
        try (Stream<Path> modules = Files.list(ROOT)) {
            List<Path> roots = Stream.concat(
                            modules.filter(path -> Files.exists(path.resolve("pom.xml")))
                                    .map(path -> path.resolve("src")),
                            Stream.of(ROOT.resolve("docs"), ROOT.resolve("examples")))
                    .filter(Files::isDirectory)
                    .toList();
            List<TextFile> found = new ArrayList<>();
            for (Path root : roots) {
                try (Stream<Path> files = Files.walk(root)) {
                    files.filter(file -> file.toString().endsWith(ending))
                            .filter(file -> !file.toString().contains("node_modules"))
                            .map(TextFile::read)
                            .forEach(found::add);
                }
            }
            return List.copyOf(found);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

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
        Map<String, Collection<String>> types = filesByTypeName();
        assertThat(types).hasSizeGreaterThan(1_000);
        types.values().removeIf(files -> files.size() == 1);
        assertThat(types).as("types that share their name").isEmpty();
    }

    @Test
    void oneWordTypesAreDomainNouns() {
        Set<String> oneWord = filesByTypeName().keySet().stream()
                .filter(name -> words(name).size() == 1)
                .collect(Collectors.toCollection(TreeSet::new));
        oneWord.removeAll(ONE_WORD_TYPES);
        assertThat(oneWord).isEmpty();
    }

    @Test
    void typeNamesContainNoBannedWord() {
        assertThat(filesByTypeName().keySet())
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
                .flatMap(ending -> files(ending).stream())
                .filter(file -> !file.name().matches(".*/resources/.*\\.md"))
                .forEach(file -> file.withoutCodeBlocks()
                        .lines()
                        .filter(line -> line.codePointCount(0, line.length()) > MAX_LINE_LENGTH)
                        .filter(line -> !line.stripLeading().startsWith("|"))
                        .forEach(line -> longLines.add(file.name() + ": " + line.substring(0, 60) + "…")));
        assertThat(longLines).isEmpty();
    }
}
