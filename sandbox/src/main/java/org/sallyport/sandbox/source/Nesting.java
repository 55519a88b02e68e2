package org.sallyport.sandbox.source;

/**
 * Keeps from the native parser what it could exhaust its stack on: it recurses per bracket and per operator of one
 * expression. A rough count that may be fooled by brackets in texts; what passes wrongly ends a worker, nothing more.
 */
final class Nesting {
    private static final int MAX_DEPTH = 1_000;
    private static final int MAX_EXPRESSION = 64 * 1024;

    private Nesting() {}

    static boolean tooDeep(String code) {
        if (code.length() <= MAX_DEPTH) {
            return false;
        }
        int depth = 0;
        int angles = 0;
        int started = 0;
        for (int i = 0; i < code.length(); i++) {
            switch (code.charAt(i)) {
                case '(', '[' -> depth++;
                case ')', ']' -> depth = Math.max(0, depth - 1);
                case '<' -> angles++;
                case ';', '{', '}', ',', '\n' -> {
                    started = i;
                    angles = 0;
                    depth = Math.max(0, depth + (code.charAt(i) == '{' ? 1 : code.charAt(i) == '}' ? -1 : 0));
                }
                default -> {}
            }
            if (depth > MAX_DEPTH || angles > MAX_DEPTH || i - started > MAX_EXPRESSION) {
                return true;
            }
        }
        return false;
    }
}
