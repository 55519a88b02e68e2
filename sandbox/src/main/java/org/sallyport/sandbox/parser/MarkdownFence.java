package org.sallyport.sandbox.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;

/**
 * A Markdown code fence around a script, as language models write it (CommonMark 0.31, 4.5). A fence is a line that
 * begins, after at most three spaces, with three or more backticks or tildes; it ends at a line with at least as many
 * of the same, or at the end of the text.
 *
 * <p>A valid script may have such a line too: backticks only in a comment, tildes also in a template. A comment or a
 * template may as well begin in the prose before a fence, with the {@code /*} of a file pattern or a lone backtick.
 * Such a fence is not certain, and neither is one with more spaces before it, as in a list: the caller tries the text
 * as it stands first.
 *
 * @param content the script in the fence
 * @param certain whether no valid script looks like this text
 * @param likely whether the fence is more likely than a script that has it in a comment or template
 */
record MarkdownFence(SourceText content, boolean certain, boolean likely) {
    private static final int MIN_LENGTH = 3;
    private static final int MAX_INDENT = 3;
    private static final Set<String> JAVASCRIPT_TAGS =
            Set.of("js", "javascript", "mjs", "cjs", "jsx", "node", "ecmascript");
    private static final Set<String> TYPESCRIPT_TAGS = Set.of("ts", "typescript", "mts", "cts", "tsx");
    private static final String JSON_TAG = "json";
    /** Characters before a comment, besides blanks. After others, as in {@code src/*.ts}, it is unlikely. */
    private static final String BEFORE_COMMENT = ";{}()[],";

    /**
     * A fenced block.
     *
     * @param mark the character of the fence
     * @param indent number of spaces and tabs before the fence
     * @param tag first word after the fence, in lower case; empty when there is none
     * @param fenceStart offset of the fence
     * @param start start offset of the content
     * @param end end offset of the content
     */
    private record FencedBlock(char mark, int indent, String tag, int fenceStart, int start, int end) {
        boolean isScript() {
            return JAVASCRIPT_TAGS.contains(tag) || TYPESCRIPT_TAGS.contains(tag);
        }
    }

    /**
     * Returns the fence; empty if there is none, or if tildes are more likely an expression.
     *
     * @throws InvalidScriptException when the fences hold no script, or more than one
     */
    static Optional<MarkdownFence> find(Script script) throws InvalidScriptException {
        String code = script.code();
        List<FencedBlock> blocks = code.contains("```") || code.contains("~~~") ? blocks(code) : List.of();
        if (blocks.isEmpty()) {
            return Optional.empty();
        }
        FencedBlock first = blocks.get(0);
        boolean insideToken = !startsToken(code, first.fenceStart());
        boolean certain =
                !insideToken && first.indent() <= MAX_INDENT && (first.mark() == '`' || isMarked(code, first));
        boolean likely = !insideToken || !isInCode(code, first);
        try {
            return Optional.of(new MarkdownFence(content(script, selectBlock(code, blocks)), certain, likely));
        } catch (InvalidScriptException noScript) {
            if (certain || (insideToken && likely)) {
                throw noScript;
            }
            return Optional.empty();
        }
    }

    private static SourceText content(Script script, FencedBlock block) {
        StringBuilder alone = new StringBuilder(script.code());
        for (int i = 0; i < alone.length(); i++) {
            boolean outside = i < block.start() || i >= block.end();
            if (outside && alone.charAt(i) != '\n' && alone.charAt(i) != '\r') {
                alone.setCharAt(i, ' ');
            }
        }
        return new SourceText(
                SourceText.normalizeText(alone.toString(), block.start()),
                language(block).orElse(script.language()));
    }

    private static Optional<SourceLanguage> language(FencedBlock block) {
        return TYPESCRIPT_TAGS.contains(block.tag()) ? Optional.of(SourceLanguage.TYPESCRIPT) : Optional.empty();
    }

    /** Returns whether tildes begin a fence and no expression: the text begins with them, or they name a language. */
    private static boolean isMarked(String code, FencedBlock block) {
        return block.isScript()
                || block.tag().equals(JSON_TAG)
                || code.substring(0, block.fenceStart()).isBlank();
    }

    /** Returns whether a token begins at {@code at}, so that it is in no comment, template, text or expression. */
    private static boolean startsToken(String code, int at) {
        ScriptLexer lexer = new ScriptLexer(code);
        while (!lexer.next().isEmpty()) {
            if (lexer.tokenStart() >= at) {
                return lexer.tokenStart() == at;
            }
        }
        return false;
    }

    /** Returns whether a comment or a template around a block looks like code: it ends after the block. */
    private static boolean isInCode(String code, FencedBlock block) {
        int comment = code.lastIndexOf("/*", block.fenceStart());
        if (comment <= code.lastIndexOf("*/", block.fenceStart())) {
            return block.mark() == '~' && code.indexOf('`', block.end()) >= 0;
        }
        boolean possible = comment == 0
                || Character.isWhitespace(code.charAt(comment - 1))
                || BEFORE_COMMENT.indexOf(code.charAt(comment - 1)) >= 0;
        return possible && code.indexOf("*/", block.fenceStart()) >= block.end();
    }

    private static FencedBlock selectBlock(String code, List<FencedBlock> blocks) throws InvalidScriptException {
        List<FencedBlock> scripts =
                blocks.stream().filter(FencedBlock::isScript).toList();
        if (scripts.isEmpty()) {
            scripts = blocks.stream().filter(block -> block.tag().isEmpty()).toList();
        }
        if (scripts.isEmpty()) {
            scripts = blocks.stream()
                    .filter(block -> block.tag().equals(JSON_TAG))
                    .toList();
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
            int at = indentEnd(code, line, code.length());
            int next = nextLine(code, line);
            int length = fenceLength(code, at);
            // The text after backticks has no backtick, else they are code in a line.
            if (length == 0
                    || (code.charAt(at) == '`'
                            && code.substring(at + length, next).contains("`"))) {
                line = next;
                continue;
            }
            int indent = at - line;
            int maxIndent = indent <= MAX_INDENT ? MAX_INDENT : indent + MAX_INDENT;
            int end = next;
            while (end < code.length() && !isClosingFence(code, end, maxIndent, code.charAt(at), length)) {
                end = nextLine(code, end);
            }
            String tag = tag(code.substring(at + length, next));
            blocks.add(new FencedBlock(code.charAt(at), indent, tag, at, next, end));
            line = nextLine(code, end);
        }
        return blocks;
    }

    private static boolean isClosingFence(String code, int line, int maxIndent, char mark, int length) {
        int at = indentEnd(code, line, maxIndent);
        int closing = fenceLength(code, at);
        return closing >= length
                && code.charAt(at) == mark
                && code.substring(at + closing, nextLine(code, line)).isBlank();
    }

    private static String tag(String info) {
        String word = info.strip();
        int end = 0;
        while (end < word.length() && Character.isLetterOrDigit(word.charAt(end))) {
            end++;
        }
        return word.substring(0, end).toLowerCase(Locale.ROOT);
    }

    /** Returns the number of backticks or tildes at {@code at}: 0, or 3 or more. */
    private static int fenceLength(String code, int at) {
        if (at >= code.length() || (code.charAt(at) != '`' && code.charAt(at) != '~')) {
            return 0;
        }
        int end = at;
        while (end < code.length() && code.charAt(end) == code.charAt(at)) {
            end++;
        }
        return end - at >= MIN_LENGTH ? end - at : 0;
    }

    private static int indentEnd(String code, int line, int maxIndent) {
        int at = line;
        while (at < code.length() && at - line < maxIndent && (code.charAt(at) == ' ' || code.charAt(at) == '\t')) {
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
