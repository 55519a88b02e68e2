package org.sallyport.sandbox.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;

/**
 * Extracts a script from a Markdown code fence, as language models write it. A fence is a line that begins, after at
 * most three spaces, with three or more backticks; it ends at a line with at least as many, or at the end of the text.
 * A valid script has three backticks there only in a comment, so a script that can run as it stands is never taken for
 * a fence.
 */
final class MarkdownFence {
    private static final String TICKS = "```";
    private static final Set<String> JAVASCRIPT_TAGS =
            Set.of("js", "javascript", "mjs", "cjs", "jsx", "node", "ecmascript");
    private static final Set<String> TYPESCRIPT_TAGS = Set.of("ts", "typescript", "mts", "cts", "tsx");

    /**
     * A fenced block.
     *
     * @param tag first word after the backticks, in lower case; empty when there is none
     * @param fenceStart offset of the backticks
     * @param start start offset of the content
     * @param end end offset of the content
     */
    private record FencedBlock(String tag, int fenceStart, int start, int end) {
        boolean isScript() {
            return JAVASCRIPT_TAGS.contains(tag) || TYPESCRIPT_TAGS.contains(tag);
        }
    }

    private MarkdownFence() {}

    /** Returns the content of the fence, or empty if there is no fence outside of a comment. */
    static Optional<SourceText> unwrap(Script script) throws InvalidScriptException {
        List<FencedBlock> blocks = script.code().contains(TICKS) ? blocks(script.code()) : List.of();
        if (blocks.isEmpty() || inComment(script.code(), blocks.get(0).fenceStart())) {
            return Optional.empty();
        }
        FencedBlock block = selectBlock(script.code(), blocks);
        StringBuilder alone = new StringBuilder(script.code());
        for (int i = 0; i < alone.length(); i++) {
            boolean outside = i < block.start() || i >= block.end();
            if (outside && alone.charAt(i) != '\n' && alone.charAt(i) != '\r') {
                alone.setCharAt(i, ' ');
            }
        }
        return Optional.of(new SourceText(
                SourceText.normalizeText(alone.toString(), block.start()),
                TYPESCRIPT_TAGS.contains(block.tag()) ? SourceLanguage.TYPESCRIPT : script.language()));
    }

    private static boolean inComment(String code, int at) {
        return code.lastIndexOf("/*", at) > code.lastIndexOf("*/", at);
    }

    private static FencedBlock selectBlock(String code, List<FencedBlock> blocks) throws InvalidScriptException {
        List<FencedBlock> scripts =
                blocks.stream().filter(FencedBlock::isScript).toList();
        if (scripts.isEmpty()) {
            scripts = blocks.stream().filter(block -> block.tag().isEmpty()).toList();
        }
        if (scripts.isEmpty()) {
            scripts =
                    blocks.stream().filter(block -> block.tag().equals("json")).toList();
        }
        if (scripts.isEmpty()) {
            throw invalidFence(code, "The code block is neither JavaScript nor TypeScript", blocks.get(0));
        }
        if (scripts.size() > 1) {
            throw invalidFence(code, "There is more than one code block; submit only the block to run", scripts.get(1));
        }
        return scripts.get(0);
    }

    private static InvalidScriptException invalidFence(String code, String why, FencedBlock block) {
        return new InvalidScriptException(
                code, new SyntaxError("SyntaxError: " + why, new LineIndex(code).positionAt(block.fenceStart())));
    }

    private static List<FencedBlock> blocks(String code) {
        List<FencedBlock> blocks = new ArrayList<>();
        int line = 0;
        while (line < code.length()) {
            int ticks = backtickCount(code, line);
            int next = nextLine(code, line);
            if (ticks == 0
                    || code.substring(indentEnd(code, line) + ticks, next).contains("`")) {
                line = next;
                continue;
            }
            int end = next;
            while (end < code.length() && !isClosingFence(code, end, ticks)) {
                end = nextLine(code, end);
            }
            int at = indentEnd(code, line);
            blocks.add(new FencedBlock(tag(code.substring(at + ticks, next)), at, next, end));
            line = nextLine(code, end);
        }
        return blocks;
    }

    private static boolean isClosingFence(String code, int line, int ticks) {
        int closing = backtickCount(code, line);
        return closing >= ticks
                && code.substring(indentEnd(code, line) + closing, nextLine(code, line))
                        .isBlank();
    }

    private static String tag(String info) {
        String word = info.strip();
        int end = 0;
        while (end < word.length() && Character.isLetterOrDigit(word.charAt(end))) {
            end++;
        }
        return word.substring(0, end).toLowerCase(Locale.ROOT);
    }

    /** Returns the number of backticks at the start of the line: 0, or 3 or more. */
    private static int backtickCount(String code, int line) {
        int at = indentEnd(code, line);
        int end = at;
        while (end < code.length() && code.charAt(end) == '`') {
            end++;
        }
        return end - at >= TICKS.length() ? end - at : 0;
    }

    private static int indentEnd(String code, int line) {
        int at = line;
        while (at < code.length() && at - line < 3 && code.charAt(at) == ' ') {
            at++;
        }
        return at;
    }

    private static int nextLine(String code, int from) {
        for (int i = from; i < code.length(); i++) {
            if (code.charAt(i) == '\n' || (code.charAt(i) == '\r' && !code.startsWith("\r\n", i))) {
                return i + 1;
            }
        }
        return code.length();
    }
}
