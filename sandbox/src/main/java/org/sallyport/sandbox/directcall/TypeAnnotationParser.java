package org.sallyport.sandbox.directcall;

import java.util.Set;
import org.sallyport.sandbox.directcall.ScriptToken.ScriptTokenType;
import org.sallyport.sandbox.directcall.SimpleScriptParser.NotSimpleException;

/**
 * Skips types, as far as they are common in annotations of results: names with arguments, arrays, tuples, object types,
 * unions, intersections, literals, parentheses.
 */
final class TypeAnnotationParser {
    private static final int MAX_DEPTH = 32;
    /** Words that begin an unsupported type, or no type at all. */
    private static final Set<String> UNSUPPORTED_KEYWORDS = Set.of(
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

    private final TokenStream tokens;
    private int depth;

    TypeAnnotationParser(TokenStream words) {
        this.tokens = words;
    }

    void parseType() throws NotSimpleException {
        tokens.require(++depth <= MAX_DEPTH);
        parsePart();
        while (tokens.peek().isSign("|") || tokens.peek().isSign("&")) {
            tokens.next();
            parsePart();
        }
        depth--;
    }

    private void parsePart() throws NotSimpleException {
        ScriptToken first = tokens.next();
        switch (first.type()) {
            case NAME -> parseNamed(first.text());
            case STRING, NUMBER -> {}
            case SIGN -> {
                switch (first.text()) {
                    case "(" -> {
                        parseType();
                        tokens.expectSign(")");
                    }
                    case "[" -> parseList("]");
                    case "{" -> parseMembers();
                    default -> throw new NotSimpleException();
                }
            }
            default -> throw new NotSimpleException();
        }
        while (tokens.peek().isSign("[") && !tokens.peek().afterNewLine()) {
            tokens.next();
            tokens.expectSign("]");
        }
    }

    private void parseNamed(String name) throws NotSimpleException {
        tokens.require(!UNSUPPORTED_KEYWORDS.contains(name));
        while (tokens.peek().isSign(".")) {
            tokens.next();
            tokens.expectType(ScriptTokenType.NAME);
        }
        if (tokens.peek().isSign("<") && !tokens.peek().afterNewLine()) {
            tokens.next();
            parseList(">");
        }
    }

    private void parseList(String closing) throws NotSimpleException {
        tokens.require(!tokens.peek().isSign(closing));
        parseType();
        while (tokens.peek().isSign(",")) {
            tokens.next();
            parseType();
        }
        tokens.expectSign(closing);
    }

    private void parseMembers() throws NotSimpleException {
        while (!tokens.peek().isSign("}")) {
            ScriptToken name = tokens.next();
            tokens.require(name.type() == ScriptTokenType.NAME || name.type() == ScriptTokenType.STRING);
            if (tokens.peek().isSign("?")) {
                tokens.next();
            }
            tokens.expectSign(":");
            parseType();
            if (tokens.peek().isSign(";") || tokens.peek().isSign(",")) {
                tokens.next();
            } else {
                tokens.require(tokens.peek().isSign("}") || tokens.peek().afterNewLine());
            }
        }
        tokens.expectSign("}");
    }
}
