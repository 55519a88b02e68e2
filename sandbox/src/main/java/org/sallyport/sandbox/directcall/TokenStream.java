package org.sallyport.sandbox.directcall;

import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.directcall.ScriptToken.ScriptTokenType;
import org.sallyport.sandbox.directcall.SimpleScriptParser.NotSimpleException;

/** The tokens of a script, with a lookahead of one token. */
final class TokenStream {
    private final Tokenizer tokenizer;
    private @Nullable ScriptToken lookahead;

    TokenStream(String code) {
        tokenizer = new Tokenizer(code);
    }

    ScriptToken peek() {
        ScriptToken next = lookahead;
        if (next == null) {
            next = tokenizer.next();
            lookahead = next;
        }
        return next;
    }

    ScriptToken next() {
        ScriptToken next = peek();
        lookahead = null;
        return next;
    }

    ScriptToken expectSign(String sign) throws NotSimpleException {
        require(peek().isSign(sign));
        return next();
    }

    ScriptToken expectType(ScriptTokenType kind) throws NotSimpleException {
        require(peek().type() == kind);
        return next();
    }

    void require(boolean condition) throws NotSimpleException {
        if (!condition) {
            throw new NotSimpleException();
        }
    }
}
