package org.sallyport.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One file of the repository and its text. */
final class TextFile {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern STRING_OR_COMMENT = Pattern.compile(
            "\"\"\"[\\s\\S]*?\"\"\"|\"[^\"\\\\\n]*+(?:\\\\.[^\"\\\\\n]*+)*+\"|'(?:\\\\.|[^'\\\\\n])[^'\n]*'"
                    + "|/\\*[\\s\\S]*?\\*/|(?:(?<=\n)[ \t]*//[^\n]*\n)+|//[^\n]*");

    private final Path path;
    private final String text;
    /** Kept, because several tests read it. */
    private @Nullable String code;

    private TextFile(Path path, String text) {
        this.path = path;
        this.text = text;
    }

    /** Returns the files of all modules, of the documentation and of the examples with this ending. */
    static List<TextFile> list(String ending) {
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

    static TextFile read(Path path) {
        try {
            return new TextFile(path, Files.readString(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String text() {
        return text;
    }

    String name() {
        return ROOT.relativize(path).toString();
    }

    String withoutCodeBlocks() {
        return name().endsWith(".md") ? text.replaceAll("(?m)^ *```[\\s\\S]*?^ *```", "") : text;
    }

    /** The code without strings and comments. */
    String code() {
        String present = code;
        if (present == null) {
            present = STRING_OR_COMMENT
                    .matcher(text)
                    .replaceAll(found -> found.group().contains("\n") ? "\n" : " ");
            code = present;
        }
        return present;
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
