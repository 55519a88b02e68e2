package org.sallyport.sandbox.parser;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * Rejects scripts that would crash the native parser or take it minutes. The parser recurses per bracket and per
 * statement inside a statement, and it parses some constructs several times, once more per level. Long chains of
 * operators and long lists are harmless. The depth is an estimate that can be fooled; a script that passes wrongly is
 * stopped by the time limit or ends a worker.
 */
final class NestingLimit {
    private static final int MAX_DEPTH = 1_000;
    /** The parser parses a superclass expression twice, so the time doubles with each class inside it. */
    private static final int SUPERCLASS_WEIGHT = 100;

    private static final Set<String> STATEMENT_HEADS = Set.of("if", "for", "while", "do", "with");
    private static final Set<String> PARENTHESIS_HEADS = Set.of("if", "for", "while", "with", "await");
    private static final Set<String> EXPRESSION_ENDS = Set.of(";", ",", "=", "&", "|", "?");

    private final ScriptLexer lexer;
    private final Deque<BracketLevel> open = new ArrayDeque<>();
    private BracketLevel level = new BracketLevel("", 0);
    private String last = "";
    private String beforeLast = "";
    /** The token before the bracket that was closed last. */
    private String beforeBracket = "";

    private NestingLimit(String code) {
        lexer = new ScriptLexer(code);
    }

    /** Nesting depths of the current statement, arrow function and type between two brackets. */
    private static final class BracketLevel {
        private final String tokenBefore;
        private final int outerDepth;
        private int heads;
        private int arrows;
        private int labels;
        private int superclasses;
        private int angles;

        BracketLevel(String before, int outside) {
            this.tokenBefore = before;
            this.outerDepth = outside;
        }

        int depth() {
            return outerDepth + heads + arrows + labels + angles + superclasses * SUPERCLASS_WEIGHT;
        }
    }

    static boolean isTooDeep(String code) {
        return code.length() > MAX_DEPTH / 10 && new NestingLimit(code).isTooDeep();
    }

    private boolean isTooDeep() {
        String next = lexer.next();
        while (!next.isEmpty()) {
            visitToken(next);
            if (level.depth() > MAX_DEPTH) {
                return true;
            }
            beforeLast = last;
            last = next;
            next = lexer.next();
        }
        return false;
    }

    private void visitToken(String next) {
        if (next.equals("(") || next.equals("[") || next.equals("{") || next.equals("${")) {
            level.superclasses = next.equals("{") ? 0 : level.superclasses;
            open.push(level);
            level = new BracketLevel(last, level.depth() + 1);
            return;
        }
        if (next.equals(")") || next.equals("]") || next.equals("}")) {
            if (!open.isEmpty()) {
                beforeBracket = level.tokenBefore;
                level = open.pop();
            }
            level.angles = next.equals("}") ? 0 : level.angles;
        } else if (STATEMENT_HEADS.contains(next)) {
            level.heads = isNestedStatement() ? level.heads + 1 : 1;
        } else if (next.equals("=>")) {
            boolean inside = last.equals(")") ? beforeBracket.equals("=>") : beforeLast.equals("=>");
            level.arrows = inside ? level.arrows + 1 : 1;
            level.angles = 0;
        } else if (next.equals(":")) {
            level.labels = beforeLast.equals(":") ? level.labels + 1 : 1;
            level.angles = 0;
        } else if (next.equals("extends")) {
            level.superclasses++;
        } else if (next.equals("<")) {
            level.angles++;
        } else if (EXPRESSION_ENDS.contains(next)) {
            endExpression(next);
        }
    }

    private void endExpression(String sign) {
        level.angles = 0;
        level.superclasses = 0;
        if (sign.equals(",") || sign.equals(";")) {
            level.arrows = 0;
            level.labels = 0;
        }
    }

    /** Returns whether the new statement is nested inside the previous one. */
    private boolean isNestedStatement() {
        return last.equals("else")
                || last.equals("do")
                || last.equals(":")
                || last.equals(")") && PARENTHESIS_HEADS.contains(beforeBracket);
    }
}
