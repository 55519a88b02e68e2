package org.sallyport.sandbox.tier;

import java.util.Set;
import org.sallyport.sandbox.tier.SimpleGrammar.NotSimple;
import org.sallyport.sandbox.tier.Token.Kind;

/**
 * Types, as far as they are written in annotations of results: names with arguments, arrays, tuples, object types, unions,
 * intersections, literals, parentheses.
 */
final class TypeGrammar {
    private static final int MAX_DEPTH = 32;
    /** Words that begin a type of another kind, or are no type. */
    private static final Set<String> OTHERS = Set.of(
            "typeof",
            "keyof",
            "infer",
            "unique",
            "readonly",
            "asserts",
            "abstract",
            "new",
            "import",
            "const",
            "this",
            "is",
            "extends",
            "in",
            "instanceof",
            "function",
            "class",
            "await",
            "return",
            "let",
            "var",
            "delete",
            "void");

    private final TokenStream words;
    private int depth;

    TypeGrammar(TokenStream words) {
        this.words = words;
    }

    void type() throws NotSimple {
        words.require(++depth <= MAX_DEPTH);
        part();
        while (words.peek().is("|") || words.peek().is("&")) {
            words.take();
            part();
        }
        depth--;
    }

    private void part() throws NotSimple {
        Token first = words.take();
        switch (first.kind()) {
            case NAME -> named(first.text());
            case STRING, NUMBER -> {}
            case SIGN -> {
                switch (first.text()) {
                    case "(" -> {
                        type();
                        words.takeSign(")");
                    }
                    case "[" -> listed("]");
                    case "{" -> members();
                    default -> throw new NotSimple();
                }
            }
            default -> throw new NotSimple();
        }
        while (words.peek().is("[") && !words.peek().newLine()) {
            words.take();
            words.takeSign("]");
        }
    }

    private void named(String name) throws NotSimple {
        words.require(!OTHERS.contains(name));
        while (words.peek().is(".")) {
            words.take();
            words.takeKind(Kind.NAME);
        }
        if (words.peek().is("<") && !words.peek().newLine()) {
            words.take();
            listed(">");
        }
    }

    private void listed(String closing) throws NotSimple {
        words.require(!words.peek().is(closing));
        type();
        while (words.peek().is(",")) {
            words.take();
            type();
        }
        words.takeSign(closing);
    }

    private void members() throws NotSimple {
        while (!words.peek().is("}")) {
            Token name = words.take();
            words.require(name.kind() == Kind.NAME || name.kind() == Kind.STRING);
            if (words.peek().is("?")) {
                words.take();
            }
            words.takeSign(":");
            type();
            if (words.peek().is(";") || words.peek().is(",")) {
                words.take();
            } else {
                words.require(words.peek().is("}") || words.peek().newLine());
            }
        }
        words.takeSign("}");
    }
}
