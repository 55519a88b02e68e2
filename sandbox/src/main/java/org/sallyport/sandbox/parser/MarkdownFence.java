package org.sallyport.sandbox.parser;

import java.util.List;
import java.util.Optional;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;

/**
 * A Markdown code fence around a script, as language models write it.
 *
 * <p>A valid script may have such a line too: backticks only in a comment, tildes also in a template and an expression.
 * A comment or a template may as well begin in the prose before a fence, with the {@code /*} of a file pattern or a
 * lone backtick. Such a fence is not certain, and neither is one of tildes with more spaces before it: the caller tries
 * the text as it stands first.
 *
 * @param script the whole text
 * @param blocks all code blocks of the text, at least one
 * @param certain whether no valid script looks like this text
 */
record MarkdownFence(Script script, List<FencedBlock> blocks, boolean certain) {
    /** Characters before a comment, besides blanks. After others, as in {@code src/*.ts}, it is unlikely. */
    private static final String BEFORE_COMMENT = ";{}()[],=>?&|";

    MarkdownFence {
        blocks = List.copyOf(blocks);
    }

    /**
     * Returns the fence; empty if there is none, or if it belongs to a comment, a template or an expression of a script
     * more likely, be that script valid or not. Linear in the length of the text.
     */
    static Optional<MarkdownFence> find(Script script) {
        String code = script.code();
        List<FencedBlock> blocks =
                code.contains("```") || code.contains("~~~") ? new FencedBlockScanner(code).scan() : List.of();
        if (blocks.isEmpty()) {
            return Optional.empty();
        }
        FencedBlock first = blocks.get(0);
        boolean insideToken = !startsToken(code, first.fenceStart());
        // In code, three backticks are an empty template that is called: never what an author means.
        boolean certain = !insideToken
                && (first.mark() == '`' || (first.indent() <= FencedBlockScanner.MAX_INDENT && isMarked(code, first)));
        boolean likely = insideToken ? !isInCode(code, first) : first.mark() == '`' || isFenceOfTildes(first);
        return likely ? Optional.of(new MarkdownFence(script, blocks, certain)) : Optional.empty();
    }

    /**
     * Returns the text of the script in the fence, see {@link SourceText}.
     *
     * @throws InvalidScriptException when the fences hold no script, or more than one
     */
    SourceText content() throws InvalidScriptException {
        FencedBlock block = selectBlock();
        StringBuilder alone = new StringBuilder(script.code());
        for (int i = 0; i < alone.length(); i++) {
            boolean outside = i < block.start() || i >= block.end();
            if (outside && alone.charAt(i) != '\n' && alone.charAt(i) != '\r') {
                alone.setCharAt(i, ' ');
            }
        }
        if (block.quotes() > 0) {
            clearQuotes(alone, block);
        }
        return new SourceText(
                SourceText.normalizeText(alone.toString(), block.start()),
                block.isTypeScript() ? SourceLanguage.TYPESCRIPT : script.language());
    }

    /** Overwrites the {@code >} at the start of each line of a block. */
    private static void clearQuotes(StringBuilder code, FencedBlock block) {
        int left = block.quotes();
        for (int i = block.start(); i < block.end(); i++) {
            char each = code.charAt(i);
            if (each == '\n' || each == '\r') {
                left = block.quotes();
            } else if (each == '>' && left > 0) {
                code.setCharAt(i, ' ');
                left--;
            }
        }
    }

    /** Returns whether tildes begin a fence and no expression: their line and the text before it say so. */
    private static boolean isMarked(String code, FencedBlock block) {
        int comment = code.indexOf("/*");
        return block.closed() && hasTagOrNothing(block) && (comment < 0 || comment > block.fenceStart());
    }

    private static boolean isFenceOfTildes(FencedBlock block) {
        return block.closed() || hasTagOrNothing(block);
    }

    private static boolean hasTagOrNothing(FencedBlock block) {
        return block.info().isEmpty() || block.isOnlyTag();
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
        int comment = code.indexOf("/*", code.lastIndexOf("*/", block.fenceStart()) + 1);
        if (comment < 0 || comment > block.fenceStart()) {
            return block.mark() == '~' && code.indexOf('`', block.end()) >= 0;
        }
        if (code.indexOf("*/", block.fenceStart()) < block.end()) {
            return false;
        }
        while (comment >= 0 && comment < block.fenceStart()) {
            if (mayFollow(code, comment)) {
                return true;
            }
            comment = code.indexOf("/*", comment + 1);
        }
        return false;
    }

    /** Returns whether code may end before a comment: the line begins there, or the comment follows a sign. */
    private static boolean mayFollow(String code, int comment) {
        int before = comment - 1;
        while (before >= 0 && (code.charAt(before) == ' ' || code.charAt(before) == '\t')) {
            before--;
        }
        return before < 0
                || code.charAt(before) == '\n'
                || code.charAt(before) == '\r'
                || BEFORE_COMMENT.indexOf(code.charAt(before)) >= 0;
    }

    private FencedBlock selectBlock() throws InvalidScriptException {
        List<FencedBlock> filled = blocks.stream()
                .filter(block ->
                        !script.code().substring(block.start(), block.end()).isBlank())
                .toList();
        if (filled.isEmpty()) {
            throw invalidFence("The code block is empty", blocks.get(0));
        }
        List<FencedBlock> scripts =
                filled.stream().filter(FencedBlock::isScript).toList();
        if (scripts.isEmpty()) {
            scripts = filled.stream().filter(block -> block.tag().isEmpty()).toList();
        }
        if (scripts.isEmpty()) {
            scripts = filled.stream().filter(FencedBlock::isJson).toList();
        }
        if (scripts.isEmpty()) {
            throw invalidFence("The code block is neither JavaScript nor TypeScript", filled.get(0));
        }
        if (scripts.size() > 1) {
            throw invalidFence("There is more than one code block; submit only the block to run", scripts.get(1));
        }
        return scripts.get(0);
    }

    private InvalidScriptException invalidFence(String why, FencedBlock block) {
        return new InvalidScriptException(
                script.code(),
                new SyntaxError("SyntaxError: " + why, new LineIndex(script.code()).positionAt(block.fenceStart())));
    }
}
