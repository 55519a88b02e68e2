package org.sallyport.sandbox.directcall;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.directcall.ScriptToken.ScriptTokenType;
import org.sallyport.sandbox.directcall.ScriptToken.TokenGap;
import org.sallyport.sandbox.parser.SourcePosition;

/**
 * Parses scripts that are one call. The grammar:
 *
 * <pre>
 * script   = [ "return" ] call { ";" }
 *          | ( "const" | "let" | "var" ) name [ ":" type ] "=" call [ end ( "return" name | name ) ] { ";" }
 * call     = [ "await" ] name member [ member ] "(" [ literal [ "," ] ] ")" { ( "as" | "satisfies" ) type }
 * member   = "." name | "[" string "]"
 * end      = ";" | a line end
 * </pre>
 *
 * A declaration must be awaited or its name returned; otherwise the script would not wait for the call.
 */
final class SimpleScriptParser {

    /** The script is not a simple call. */
    static final class NotSimpleException extends Exception {
        private static final long serialVersionUID = 1L;

        NotSimpleException() {
            super(null, null, false, false);
        }
    }

    private record CallExpression(
            List<String> path, boolean awaited, @Nullable JsValue argument, int offset) {}

    private final String code;
    private final boolean typeScript;
    private final TokenStream tokens;

    SimpleScriptParser(String code, boolean typed) {
        this.code = code;
        this.typeScript = typed;
        tokens = new TokenStream(code);
    }

    ParsedCall parseScript() throws NotSimpleException {
        ScriptToken first = tokens.peek();
        if (first.isName("const") || first.isName("let") || first.isName("var")) {
            return parseDeclaration();
        }
        if (first.isName("return")) {
            tokens.next();
            tokens.require(!tokens.peek().afterNewLine());
        }
        CallExpression call = parseCall();
        parseEnd();
        return toParsedCall(call, true);
    }

    private ParsedCall parseDeclaration() throws NotSimpleException {
        tokens.next();
        ScriptToken name = tokens.expectType(ScriptTokenType.NAME);
        tokens.require(ReservedNames.canDeclare(name.text()));
        if (typeScript && tokens.peek().isSign(":")) {
            tokens.next();
            new TypeAnnotationParser(tokens).parseType();
        }
        tokens.expectSign("=");
        CallExpression call = parseCall();
        tokens.require(!call.path().get(0).equals(name.text()));
        boolean separated = tokens.peek().afterNewLine();
        while (tokens.peek().isSign(";")) {
            tokens.next();
            separated = true;
        }
        if (tokens.peek().type() == ScriptTokenType.END) {
            tokens.require(call.awaited());
            return toParsedCall(call, false);
        }
        tokens.require(separated);
        if (tokens.peek().isName("return")) {
            tokens.next();
            tokens.require(!tokens.peek().afterNewLine());
        }
        tokens.require(tokens.expectType(ScriptTokenType.NAME).text().equals(name.text()));
        skipTypes();
        parseEnd();
        return toParsedCall(call, true);
    }

    private CallExpression parseCall() throws NotSimpleException {
        boolean awaited = tokens.peek().isName("await");
        if (awaited) {
            tokens.next();
        }
        List<String> path = new ArrayList<>();
        path.add(tokens.expectType(ScriptTokenType.NAME).text());
        int offset = 0;
        boolean dotted = true;
        while (!tokens.peek().isSign("(")) {
            tokens.require(path.size() < 3);
            dotted = tokens.peek().isSign(".");
            if (dotted) {
                tokens.next();
                // After unusual whitespace the engine counts columns differently.
                tokens.require(tokens.peek().gap() != TokenGap.OTHER);
                offset = tokens.peek().start();
                path.add(tokens.expectType(ScriptTokenType.NAME).text());
            } else {
                tokens.expectSign("[");
                ScriptToken name = tokens.next();
                tokens.require(name.type() == ScriptTokenType.STRING || name.type() == ScriptTokenType.TEMPLATE);
                path.add(name.text());
                tokens.expectSign("]");
            }
        }
        tokens.require(path.size() >= 2);
        ScriptToken opening = tokens.expectSign("(");
        // The engine reports the position of the last name, or of the "(" if a comment or a bracket comes between. The
        // result of the type stripper for such code, and of the engine after a line comment, is not reliable.
        boolean plain = dotted && opening.gap() == TokenGap.PLAIN;
        tokens.require(plain || (!typeScript && opening.gap() != TokenGap.OTHER));
        JsValue argument = null;
        if (!tokens.peek().isSign(")")) {
            argument = new LiteralParser(tokens).parseValue(0);
            if (tokens.peek().isSign(",")) {
                tokens.next();
            }
        }
        tokens.expectSign(")");
        skipTypes();
        return new CallExpression(path, awaited, argument, plain ? offset : opening.start());
    }

    private void skipTypes() throws NotSimpleException {
        while (typeScript && (tokens.peek().isName("as") || tokens.peek().isName("satisfies"))) {
            tokens.require(!tokens.peek().afterNewLine());
            tokens.next();
            tokens.require(!tokens.peek().isName("const"));
            new TypeAnnotationParser(tokens).parseType();
        }
    }

    private void parseEnd() throws NotSimpleException {
        while (tokens.peek().isSign(";")) {
            tokens.next();
        }
        tokens.expectType(ScriptTokenType.END);
    }

    private ParsedCall toParsedCall(CallExpression call, boolean returned) {
        return new ParsedCall(
                List.copyOf(call.path()),
                Optional.ofNullable(call.argument()),
                returned,
                SourcePosition.ofOffset(code, call.offset()));
    }
}
