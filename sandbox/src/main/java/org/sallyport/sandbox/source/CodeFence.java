package org.sallyport.sandbox.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Script;

/**
 * A script inside a Markdown code fence, as language models write it. A fence is a line that begins, after at most three
 * blanks, with three or more backticks; it ends at a line of at least as many, or with the text. No script has three
 * backticks there but in a comment, so nothing is taken for a fence that could be run as it stands.
 */
final class CodeFence {
    private static final String TICKS = "```";
    private static final Set<String> JAVASCRIPT = Set.of("js", "javascript", "mjs", "cjs", "jsx", "node", "ecmascript");
    private static final Set<String> TYPESCRIPT = Set.of("ts", "typescript", "mts", "cts", "tsx");

    /**
     * A fenced block.
     *
     * @param tag first word after the backticks, in lower case; empty when there is none
     * @param at offset of the backticks
     * @param start offset of what is inside
     * @param end offset after it
     */
    private record Block(String tag, int at, int start, int end) {
        boolean isScript() {
            return JAVASCRIPT.contains(tag) || TYPESCRIPT.contains(tag);
        }
    }

    private CodeFence() {}

    /** What is inside the fence, if there is one outside of a comment. */
    static Optional<SourceText> opened(Script script) throws InvalidScriptException {
        List<Block> blocks = script.code().contains(TICKS) ? blocks(script.code()) : List.of();
        if (blocks.isEmpty() || inComment(script.code(), blocks.get(0).at())) {
            return Optional.empty();
        }
        Block block = chosen(script.code(), blocks);
        StringBuilder alone = new StringBuilder(script.code());
        for (int i = 0; i < alone.length(); i++) {
            boolean outside = i < block.start() || i >= block.end();
            if (outside && alone.charAt(i) != '\n' && alone.charAt(i) != '\r') {
                alone.setCharAt(i, ' ');
            }
        }
        return Optional.of(new SourceText(
                SourceText.cleared(alone.toString(), block.start()),
                TYPESCRIPT.contains(block.tag()) ? Language.TYPESCRIPT : script.language()));
    }

    private static boolean inComment(String code, int at) {
        return code.lastIndexOf("/*", at) > code.lastIndexOf("*/", at);
    }

    private static Block chosen(String code, List<Block> blocks) throws InvalidScriptException {
        List<Block> scripts = blocks.stream().filter(Block::isScript).toList();
        if (scripts.isEmpty()) {
            scripts = blocks.stream().filter(block -> block.tag().isEmpty()).toList();
        }
        if (scripts.isEmpty()) {
            scripts =
                    blocks.stream().filter(block -> block.tag().equals("json")).toList();
        }
        if (scripts.isEmpty()) {
            throw refused(code, "The code block is neither JavaScript nor TypeScript", blocks.get(0));
        }
        if (scripts.size() > 1) {
            throw refused(code, "There is more than one code block; leave the one to run", scripts.get(1));
        }
        return scripts.get(0);
    }

    private static InvalidScriptException refused(String code, String why, Block block) {
        return new InvalidScriptException(
                code, new SyntaxFault("SyntaxError: " + why, new Lines(code).place(block.at())));
    }

    private static List<Block> blocks(String code) {
        List<Block> blocks = new ArrayList<>();
        int line = 0;
        while (line < code.length()) {
            int ticks = fence(code, line);
            int next = nextLine(code, line);
            if (ticks == 0 || code.substring(fenceAt(code, line) + ticks, next).contains("`")) {
                line = next;
                continue;
            }
            int end = next;
            while (end < code.length() && !closes(code, end, ticks)) {
                end = nextLine(code, end);
            }
            int at = fenceAt(code, line);
            blocks.add(new Block(tag(code.substring(at + ticks, next)), at, next, end));
            line = nextLine(code, end);
        }
        return blocks;
    }

    private static boolean closes(String code, int line, int ticks) {
        int closing = fence(code, line);
        return closing >= ticks
                && code.substring(fenceAt(code, line) + closing, nextLine(code, line))
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

    /** How many backticks the line begins with: none, or three or more. */
    private static int fence(String code, int line) {
        int at = fenceAt(code, line);
        int end = at;
        while (end < code.length() && code.charAt(end) == '`') {
            end++;
        }
        return end - at >= TICKS.length() ? end - at : 0;
    }

    private static int fenceAt(String code, int line) {
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
