package org.sallyport.sandbox.source;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * Keeps from the native parser what it would end the process on or take minutes for: it recurses per bracket and per
 * statement inside a statement, and what it reads more than once it reads once more per level. Long chains of operators and
 * long lists cost it nothing. A count that can be fooled; what passes wrongly is stopped by the time limit or ends a worker.
 */
final class Nesting {
    private static final int MAX_DEPTH = 1_000;
    /** What a class extends is read twice, so the time doubles with each class in it. */
    private static final int BASE_WEIGHT = 100;

    private static final Set<String> HEADS = Set.of("if", "for", "while", "do", "with");
    private static final Set<String> LEAD = Set.of("if", "for", "while", "with", "await");
    private static final Set<String> ENDS = Set.of(";", ",", "=", "&", "|", "?");

    private final Lexemes lexemes;
    private final Deque<Level> open = new ArrayDeque<>();
    private Level level = new Level("", 0);
    private String last = "";
    private String beforeLast = "";
    /** What stood before the bracket that was closed last. */
    private String beforeBracket = "";

    private Nesting(String code) {
        lexemes = new Lexemes(code);
    }

    /** Between two brackets: how deep the statement, the arrow function and the type that stand there now are nested. */
    private static final class Level {
        private final String before;
        private final int outside;
        private int heads;
        private int arrows;
        private int labels;
        private int bases;
        private int angles;

        Level(String before, int outside) {
            this.before = before;
            this.outside = outside;
        }

        int depth() {
            return outside + heads + arrows + labels + angles + bases * BASE_WEIGHT;
        }
    }

    static boolean tooDeep(String code) {
        return code.length() > MAX_DEPTH / 10 && new Nesting(code).tooDeep();
    }

    private boolean tooDeep() {
        String next = lexemes.next();
        while (!next.isEmpty()) {
            look(next);
            if (level.depth() > MAX_DEPTH) {
                return true;
            }
            beforeLast = last;
            last = next;
            next = lexemes.next();
        }
        return false;
    }

    private void look(String next) {
        if (next.equals("(") || next.equals("[") || next.equals("{") || next.equals("${")) {
            level.bases = next.equals("{") ? 0 : level.bases;
            open.push(level);
            level = new Level(last, level.depth() + 1);
            return;
        }
        if (next.equals(")") || next.equals("]") || next.equals("}")) {
            if (!open.isEmpty()) {
                beforeBracket = level.before;
                level = open.pop();
            }
            level.angles = next.equals("}") ? 0 : level.angles;
        } else if (HEADS.contains(next)) {
            level.heads = continues() ? level.heads + 1 : 1;
        } else if (next.equals("=>")) {
            boolean inside = last.equals(")") ? beforeBracket.equals("=>") : beforeLast.equals("=>");
            level.arrows = inside ? level.arrows + 1 : 1;
            level.angles = 0;
        } else if (next.equals(":")) {
            level.labels = beforeLast.equals(":") ? level.labels + 1 : 1;
            level.angles = 0;
        } else if (next.equals("extends")) {
            level.bases++;
        } else if (next.equals("<")) {
            level.angles++;
        } else if (ENDS.contains(next)) {
            ended(next);
        }
    }

    private void ended(String sign) {
        level.angles = 0;
        level.bases = 0;
        if (sign.equals(",") || sign.equals(";")) {
            level.arrows = 0;
            level.labels = 0;
        }
    }

    /** Whether the statement that begins stands inside the one before it. */
    private boolean continues() {
        return last.equals("else")
                || last.equals("do")
                || last.equals(":")
                || last.equals(")") && LEAD.contains(beforeBracket);
    }
}
