package org.sallyport.sandbox.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds the fenced code blocks of a Markdown text (CommonMark 0.31, 4.5), in linear time. A fence is three or more
 * backticks or tildes at the start of a line, after spaces, list markers and {@code >}. A block ends at a line with at
 * least as many of the same, at the end of its quotation, or at the end of the text.
 *
 * <p>Language models also write the fence behind other text on its line, and the closing fence behind the last line of
 * the code. The former counts if its line ends with the fence, or with the fence and the name of a language.
 */
final class FencedBlockScanner {
    /** More spaces before a fence begin an indented code block, or a block in a list. */
    static final int MAX_INDENT = 3;

    private static final int MIN_LENGTH = 3;
    private static final int MAX_MARKER_DIGITS = 9;
    private static final String TICKS = "```";
    private static final String LINE_COMMENT = "//";

    private final String code;
    /** Offset of the first comment of a script; behind it, a {@code *} at the start of a line is no list marker. */
    private final int firstComment;
    /** Offset of the next backticks, at or behind the current line; negative if there are none. */
    private int nextTicks;
    /** Whether a fence at a line's end has no closing fence. A second search for one would not be linear. */
    private boolean searchedClosing;

    /**
     * The part of a line before a fence.
     *
     * @param end where the fence may begin
     * @param indent number of blanks directly before {@code end}
     * @param quotes number of {@code >}
     */
    private record LinePrefix(int end, int indent, int quotes) {}

    FencedBlockScanner(String code) {
        this.code = code;
        int comment = code.indexOf("/*");
        firstComment = comment < 0 ? code.length() : comment;
        nextTicks = code.indexOf(TICKS);
    }

    /** Returns the blocks in the order of the text. */
    List<FencedBlock> scan() {
        List<FencedBlock> blocks = new ArrayList<>();
        int line = 0;
        while (line < code.length()) {
            int from = line;
            Optional<FencedBlock> block = blockAt(from);
            block.ifPresent(blocks::add);
            line = block.map(this::endOf).orElseGet(() -> nextLine(from));
        }
        return blocks;
    }

    private int endOf(FencedBlock block) {
        return block.closed() ? nextLine(block.end()) : block.end();
    }

    private Optional<FencedBlock> blockAt(int line) {
        int next = nextLine(line);
        LinePrefix prefix = prefixAt(line);
        int at = prefix.end();
        int length = fenceLength(at);
        String info = code.substring(at + length, next).strip();
        // The text after backticks has no backtick, else they are code in a line.
        if (length > 0 && (code.charAt(at) == '~' || info.indexOf('`') < 0)) {
            int column = at - line;
            int maxIndent = column <= MAX_INDENT ? MAX_INDENT : column + MAX_INDENT;
            return Optional.of(block(prefix, at, length, info, next, maxIndent));
        }
        return blockAtLineEnd(line, next, prefix);
    }

    /** Returns the block whose fence ends a line with other text. */
    private Optional<FencedBlock> blockAtLineEnd(int line, int next, LinePrefix prefix) {
        if (nextTicks >= 0 && nextTicks < line) {
            nextTicks = code.indexOf(TICKS, line);
        }
        if (nextTicks < 0 || nextTicks >= next) {
            return Optional.empty();
        }
        int length = fenceLength(nextTicks);
        String before = code.substring(line, nextTicks);
        String info = code.substring(nextTicks + length, next).strip();
        boolean possible = (info.isEmpty() ? !searchedClosing : FencedBlock.isOnlyTag(info))
                && before.chars().filter(each -> each == '`').count() % 2 == 0
                && !before.strip().startsWith(LINE_COMMENT)
                && !before.contains(" " + LINE_COMMENT);
        if (!possible) {
            return Optional.empty();
        }
        LinePrefix same = new LinePrefix(nextTicks, 0, prefix.quotes());
        FencedBlock block = block(same, nextTicks, length, info, next, prefix.end() - line + MAX_INDENT);
        searchedClosing |= !block.closed();
        return block.closed() || !info.isEmpty() ? Optional.of(block) : Optional.empty();
    }

    private FencedBlock block(LinePrefix prefix, int at, int length, String info, int start, int maxIndent) {
        char mark = code.charAt(at);
        int end = start;
        while (end < code.length() && isInQuotes(end, prefix.quotes())) {
            if (isClosingFence(end, prefix.quotes(), maxIndent, mark, length)) {
                return new FencedBlock(mark, prefix.indent(), prefix.quotes(), info, at, start, end, true);
            }
            end = nextLine(end);
        }
        int closing = closingAtLineEnd(start, end, mark, length);
        return new FencedBlock(
                mark, prefix.indent(), prefix.quotes(), info, at, start, Math.min(closing, end), closing < end);
    }

    /** Returns the offset of a closing fence behind the last line of code; {@code end} if there is none. */
    private int closingAtLineEnd(int start, int end, char mark, int length) {
        int last = end;
        while (last > start && Character.isWhitespace(code.charAt(last - 1))) {
            last--;
        }
        int first = last;
        while (first > start && code.charAt(first - 1) == mark) {
            first--;
        }
        return last - first >= length && first > start ? first : end;
    }

    private LinePrefix prefixAt(int line) {
        int quotes = 0;
        int from = line;
        int at = skipBlanks(line, code.length());
        int behind = markerEnd(at);
        while (behind > at) {
            quotes += code.charAt(at) == '>' ? 1 : 0;
            from = behind;
            at = skipBlanks(from, code.length());
            behind = markerEnd(at);
        }
        return new LinePrefix(at, at - from, quotes);
    }

    /** Returns the end of the list marker or {@code >} at {@code at}; {@code at} if there is none. */
    private int markerEnd(int at) {
        char first = charAt(at);
        if (first == '>') {
            return at + 1;
        }
        int end = at;
        if (first == '-' || first == '+' || (first == '*' && at < firstComment)) {
            end = at + 1;
        } else {
            while (end - at < MAX_MARKER_DIGITS && charAt(end) >= '0' && charAt(end) <= '9') {
                end++;
            }
            boolean marker = end > at && (charAt(end) == '.' || charAt(end) == ')');
            end = marker ? end + 1 : at;
        }
        return end > at && (charAt(end) == ' ' || charAt(end) == '\t') ? end : at;
    }

    private boolean isClosingFence(int line, int quotes, int maxIndent, char mark, int length) {
        int at = skipBlanks(quotesEnd(line, quotes), maxIndent);
        int closing = fenceLength(at);
        return closing >= length
                && code.charAt(at) == mark
                && code.substring(at + closing, nextLine(line)).isBlank();
    }

    private boolean isInQuotes(int line, int quotes) {
        return quotesEnd(line, quotes) >= 0;
    }

    /** Returns the offset behind {@code quotes} times {@code >} at the start of a line; -1 if it has fewer. */
    private int quotesEnd(int line, int quotes) {
        int at = line;
        for (int i = 0; i < quotes; i++) {
            at = skipBlanks(at, code.length());
            if (charAt(at) != '>') {
                return -1;
            }
            at++;
        }
        return at;
    }

    /** Returns the number of backticks or tildes at {@code at}: 0, or 3 or more. */
    private int fenceLength(int at) {
        char mark = charAt(at);
        if (mark != '`' && mark != '~') {
            return 0;
        }
        int end = at;
        while (charAt(end) == mark) {
            end++;
        }
        return end - at >= MIN_LENGTH ? end - at : 0;
    }

    private int skipBlanks(int from, int max) {
        int at = from;
        while (at - from < max && (charAt(at) == ' ' || charAt(at) == '\t')) {
            at++;
        }
        return at;
    }

    /** Returns the character at an offset; a line end behind the end of the text. */
    private char charAt(int at) {
        return at < code.length() ? code.charAt(at) : '\n';
    }

    private int nextLine(int from) {
        for (int i = from; i < code.length(); i++) {
            if (code.charAt(i) == '\n' || (code.charAt(i) == '\r' && !code.startsWith("\r\n", i))) {
                return i + 1;
            }
        }
        return code.length();
    }
}
