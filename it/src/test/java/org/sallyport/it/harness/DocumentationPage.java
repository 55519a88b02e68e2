package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of the documentation and its fenced blocks. A block with the info string {@code sh run} must be run. A block
 * with {@code text out} after it is the expected output: its lines in this order, possibly with other lines between,
 * with {@code …} for any text. A block with {@code file=NAME} is a file.
 */
public record DocumentationPage(Path file, String text) {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```([^\\n`]*)\\n(.*?)^```$");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");

    /**
     * One fenced block.
     *
     * @param info info string of the fence
     */
    public record CodeBlock(String info, String content) {
        /** Returns whether the block must be run. */
        public boolean isRunnable() {
            return info.equals("sh run");
        }

        /** Returns whether the block is the expected output of the block before it. */
        public boolean isExpectedOutput() {
            return info.equals("text out");
        }
    }

    /** Reads a page by its path in the checkout. */
    public static DocumentationPage of(String path) {
        Path file = CheckoutPaths.root().resolve(path);
        try {
            return new DocumentationPage(file, Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All blocks, in order. */
    public List<CodeBlock> blocks() {
        List<CodeBlock> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(text);
        while (matcher.find()) {
            blocks.add(new CodeBlock(matcher.group(1).strip(), matcher.group(2)));
        }
        return blocks;
    }

    /** Targets of its links outside of code blocks. */
    public List<String> links() {
        return LINK.matcher(BLOCK.matcher(text).replaceAll(""))
                .results()
                .map(link -> link.group(1))
                .toList();
    }

    /** Fragments that lead into the page: the anchors that code hosting sites derive from its headings. */
    public List<String> anchors() {
        return HEADING.matcher(BLOCK.matcher(text).replaceAll(""))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(java.util.Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    /**
     * Returns the first expected line that is missing in the output, or an empty list.
     *
     * @param shown expected lines with {@code …} for any text
     */
    public static List<String> findMissingLine(String shown, String printed) {
        List<String> lines = printed.lines().toList();
        int at = 0;
        for (String line : shown.lines().filter(each -> !each.isBlank()).toList()) {
            Pattern pattern = toPattern(line);
            while (at < lines.size() && !pattern.matcher(lines.get(at)).find()) {
                at++;
            }
            if (at == lines.size()) {
                return List.of(line);
            }
            at++;
        }
        return List.of();
    }

    private static Pattern toPattern(String line) {
        StringBuilder pattern = new StringBuilder();
        for (String part : line.strip().split("…", -1)) {
            pattern.append(pattern.isEmpty() ? "" : ".*").append(Pattern.quote(part));
        }
        return Pattern.compile(pattern.toString());
    }
}
